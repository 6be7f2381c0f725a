/// Makes the tables of a page sortable and their rows filterable. Without it the page has the same content.
///
/// Written without angle brackets, double quotation marks and ampersands, as ``PageStyle/css``. It asks nothing of the
/// network and keeps nothing.
enum PageScript {
    static let text = """
        'use strict';
        document.querySelectorAll('table').forEach(function (table) {
          var body = table.tBodies[0];
          if (Math.min(body.rows.length, 6) !== 6) { return; }
          function value(row, column) {
            var cell = row.cells[column], data = cell.querySelector('data');
            return data ? Number(data.value) : cell.textContent;
          }
          function compare(a, b) {
            if (typeof a === 'number') { if (typeof b === 'number') { return a - b; } }
            return String(a).localeCompare(String(b), 'en', { numeric: true });
          }
          Array.from(table.tHead.rows[0].cells).forEach(function (cell, column) {
            var button = document.createElement('button'), sign = -1;
            button.textContent = cell.textContent;
            button.title = 'sort';
            cell.textContent = '';
            cell.appendChild(button);
            button.addEventListener('click', function () {
              sign = -sign;
              Array.from(table.tHead.rows[0].cells).forEach(function (one) { one.removeAttribute('aria-sort'); });
              cell.setAttribute('aria-sort', sign === 1 ? 'ascending' : 'descending');
              Array.from(body.rows).sort(function (a, b) {
                return sign * compare(value(a, column), value(b, column));
              }).forEach(function (row) { body.appendChild(row); });
            });
          });
          var box = document.createElement('input');
          box.type = 'search';
          box.placeholder = 'filter rows';
          box.setAttribute('aria-label', 'filter rows');
          table.parentNode.parentNode.insertBefore(box, table.parentNode);
          box.addEventListener('input', function () {
            var wanted = box.value.toLowerCase();
            Array.from(body.rows).forEach(function (row) {
              row.hidden = !row.textContent.toLowerCase().includes(wanted);
            });
          });
        });
        """
}
