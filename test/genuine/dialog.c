/*
 * A dialog as a terminal or an installer shows it: its title is the first argument, its buttons are OK and Cancel. With "/window"
 * as the second argument it is a plain window instead. Writes how it was left to dialog.txt beside it: ok, cancelled or closed.
 */
#include <windows.h>
#include <stdio.h>
#include <wchar.h>

static void note(const char *result) {
  wchar_t path[MAX_PATH];
  GetModuleFileNameW(NULL, path, MAX_PATH);
  wcscpy(wcsrchr(path, L'\\'), L"\\dialog.txt");
  FILE *file = _wfopen(path, L"wb");
  fputs(result, file);
  fclose(file);
}

static LRESULT CALLBACK on_message(HWND window, UINT message, WPARAM wide, LPARAM extra) {
  if (message == WM_CLOSE) {
    note("closed");
    ExitProcess(0);
  }
  return DefWindowProcW(window, message, wide, extra);
}

int wmain(int count, wchar_t **arguments) {
  const wchar_t *title = count > 1 ? arguments[1] : L"";
  if (count > 2) {
    WNDCLASSW class = {.lpfnWndProc = on_message, .lpszClassName = L"PlainWindow"};
    MSG message;
    RegisterClassW(&class);
    CreateWindowW(class.lpszClassName, title, WS_POPUP | WS_VISIBLE, 10, 10, 300, 200, NULL, NULL, NULL, NULL);
    while (GetMessageW(&message, NULL, 0, 0) > 0) DispatchMessageW(&message);
  }
  note(MessageBoxW(NULL, L"A dialog that waits for a click", title, MB_OKCANCEL) == IDOK ? "ok" : "cancelled");
  return 0;
}
