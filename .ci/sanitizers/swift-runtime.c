// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the thread sanitizer does not see of Swift 6.3 on Linux, because the runtime libraries are not built with it, and
// one call that it must not see. `.ci/thread-sanitizer` links this into the tests: without it each contended Mutex is
// reported as a race of what it protects.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

void __tsan_acquire(void *);
void __tsan_release(void *);

#define SWIFT __attribute__((swiftcall))
#define ASYNC __attribute__((swiftasynccall))
#define SELF __attribute__((swift_context)) void *self
// The function of the library that one here stands in front of.
#define NEXT(function) ((__typeof__(&function))dlsym(RTLD_NEXT, function##Name))

// A Mutex of Synchronization that is taken: the quick way is inlined where it is locked, the slow one in the library.
#define lockSlowName "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define unlockSlowName "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
SWIFT void lockSlow(uint32_t thread, SELF) __asm__(lockSlowName);
SWIFT void unlockSlow(SELF) __asm__(unlockSlowName);

SWIFT void lockSlow(uint32_t thread, SELF) {
    NEXT(lockSlow)(thread, self);
    __tsan_acquire(self);
}

SWIFT void unlockSlow(SELF) {
    __tsan_release(self);
    NEXT(unlockSlow)(self);
}

// A continuation that is resumed before its task waits for it.
#define swift_continuation_resumeName "swift_continuation_resume"
#define swift_continuation_throwingResumeName "swift_continuation_throwingResume"
#define swift_continuation_throwingResumeWithErrorName "swift_continuation_throwingResumeWithError"
#define swift_continuation_awaitName "swift_continuation_await"
SWIFT void *swift_task_getCurrent(void);

SWIFT void swift_continuation_resume(void *task) {
    __tsan_release(task);
    NEXT(swift_continuation_resume)(task);
}

SWIFT void swift_continuation_throwingResume(void *task) {
    __tsan_release(task);
    NEXT(swift_continuation_throwingResume)(task);
}

SWIFT void swift_continuation_throwingResumeWithError(void *task, void *error) {
    __tsan_release(task);
    NEXT(swift_continuation_throwingResumeWithError)(task, error);
}

ASYNC void swift_continuation_await(void *continuation) {
    __tsan_acquire(swift_task_getCurrent());
    __attribute__((musttail)) return NEXT(swift_continuation_await)(continuation);
}

// What the compiler reports of every inout argument. One of an empty type, such as SystemRandomNumberGenerator, has no
// address; the sanitizer takes what happens to be in the register and ends the process. Called instead of
// __tsan_external_write, so no "Swift access race" is looked for; races of memory are.
void __wrap___tsan_external_write(void *address, void *caller, void *tag) {}
