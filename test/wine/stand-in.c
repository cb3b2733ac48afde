/*
 * One Windows program that stands in for three, by the name under which it is started:
 *   terminal-setup.exe  an installer: copies itself to C:\Program Files\MetaTrader 5\terminal64.exe
 *   python.exe          the bridge: notes its token and arguments, and stays
 *   terminal64.exe      the terminal: reads /config:FILE by the Windows function for such files, keeps a journal in
 *                       UTF-16LE, has a window, and closes when that is closed; behaviour.txt beside it says what it does
 */
#include <windows.h>
#include <stdio.h>
#include <wchar.h>

static wchar_t home[MAX_PATH];

static void place(wchar_t *path, const wchar_t *name) { swprintf(path, MAX_PATH, L"%ls\\%ls", home, name); }

/* Appends a line as UTF-8, for the test to read. */
static void note(const wchar_t *name, const wchar_t *line) {
  wchar_t path[MAX_PATH];
  char bytes[4096];
  place(path, name);
  FILE *file = _wfopen(path, L"ab");
  WideCharToMultiByte(CP_UTF8, 0, line, -1, bytes, sizeof bytes, NULL, NULL);
  fprintf(file, "%s\n", bytes);
  fclose(file);
}

static void journal(const wchar_t *source, const wchar_t *text) {
  wchar_t path[MAX_PATH], line[2048];
  SYSTEMTIME now;
  GetLocalTime(&now);
  place(path, L"logs");
  CreateDirectoryW(path, NULL);
  swprintf(path, MAX_PATH, L"%ls\\logs\\%04d%02d%02d.log", home, now.wYear, now.wMonth, now.wDay);
  FILE *file = _wfopen(path, L"ab");
  fseek(file, 0, SEEK_END);
  int length = swprintf(line, 2048, L"%lsCS\t0\t%02d:%02d:%02d.%03d\t%ls\t%ls\r\n", ftell(file) == 0 ? L"\xfeff" : L"",
                        now.wHour, now.wMinute, now.wSecond, now.wMilliseconds, source, text);
  fwrite(line, sizeof(wchar_t), length, file);
  fclose(file);
}

static LRESULT CALLBACK on_message(HWND window, UINT message, WPARAM wide, LPARAM extra) {
  if (message == WM_CLOSE) {
    note(L"launches.txt", L"closed");
    ExitProcess(0);
  }
  return DefWindowProcW(window, message, wide, extra);
}

static void open_window(void) {
  WNDCLASSW class = {0};
  class.lpfnWndProc = on_message;
  class.lpszClassName = L"StandInTerminal";
  RegisterClassW(&class);
  CreateWindowW(class.lpszClassName, L"Terminal", WS_OVERLAPPEDWINDOW | WS_VISIBLE, 0, 0, 300, 200, NULL, NULL, NULL, NULL);
}

static void stay_as_window(void) {
  MSG message;
  while (GetMessageW(&message, NULL, 0, 0) > 0) DispatchMessageW(&message);
}

static void restart_updated(const wchar_t *self, const wchar_t *config) {
  wchar_t command[2048];
  STARTUPINFOW startup = {.cb = sizeof startup};
  PROCESS_INFORMATION started;
  journal(L"LiveUpdate", L"new build is installed, restarting");
  swprintf(command, 2048, L"\"%ls\" /portable %ls /updated", self, config);
  CreateProcessW(self, command, NULL, NULL, FALSE, DETACHED_PROCESS, NULL, NULL, &startup, &started);
  ExitProcess(0);
}

static void be_terminal(const wchar_t *self, int count, wchar_t **arguments) {
  wchar_t line[2048], path[MAX_PATH], login[64] = L"", password[256] = L"", server[256] = L"", allowed[16] = L"";
  wchar_t does[64] = L"authorise";
  const wchar_t *config = L"";
  int updated = 0;
  for (int at = 1; at < count; at++) {
    if (wcsncmp(arguments[at], L"/config:", 8) == 0) config = arguments[at];
    if (wcscmp(arguments[at], L"/updated") == 0) updated = 1;
  }
  if (*config) {
    GetPrivateProfileStringW(L"Common", L"Login", L"", login, 64, config + 8);
    GetPrivateProfileStringW(L"Common", L"Password", L"", password, 256, config + 8);
    GetPrivateProfileStringW(L"Common", L"Server", L"", server, 256, config + 8);
    GetPrivateProfileStringW(L"Experts", L"AllowLiveTrading", L"", allowed, 16, config + 8);
  }
  place(path, L"behaviour.txt");
  FILE *plan = _wfopen(path, L"r");
  if (plan) {
    fgetws(does, 64, plan);
    fclose(plan);
  }
  swprintf(line, 2048, L"launch updated=%d arguments=%ls login=%ls password=%ls server=%ls allowed=%ls", updated,
           GetCommandLineW(), login, password, server, allowed);
  note(L"launches.txt", line);
  journal(L"Terminal", L"build 5000 started");
  Sleep(300);
  if (wcsncmp(does, L"update", 6) == 0 && !updated) restart_updated(self, config);
  open_window();
  if (wcsncmp(does, L"refuse", 6) == 0) {
    swprintf(line, 2048, L"'%ls': authorization on %ls failed (Invalid account)", login, server);
    journal(L"Network", line);
  } else if (wcsncmp(does, L"nothing", 7) != 0) {
    swprintf(line, 2048, L"'%ls': authorized on %ls through Access Point 1 (ping: 20.00 ms)", login, server);
    journal(L"Network", line);
  }
  stay_as_window();
}

int wmain(int count, wchar_t **arguments) {
  wchar_t self[MAX_PATH], line[2048], token[256] = L"", terminal[MAX_PATH] = L"";
  GetModuleFileNameW(NULL, self, MAX_PATH);
  wcscpy(home, self);
  *wcsrchr(home, L'\\') = 0;
  const wchar_t *name = wcsrchr(self, L'\\') + 1;
  if (wcscmp(name, L"terminal-setup.exe") == 0) {
    CreateDirectoryW(L"C:\\Program Files\\MetaTrader 5", NULL);
    return CopyFileW(self, L"C:\\Program Files\\MetaTrader 5\\terminal64.exe", FALSE) ? 0 : 1;
  }
  if (wcscmp(name, L"python.exe") == 0) {
    GetEnvironmentVariableW(L"TERMINAL_BRIDGE_TOKEN", token, 256);
    GetEnvironmentVariableW(L"TERMINAL_PATH", terminal, MAX_PATH);
    swprintf(line, 2048, L"token=%ls terminal=%ls arguments=%ls", token, terminal, GetCommandLineW());
    note(L"bridge.txt", line);
    printf("bridge up\n");
    fflush(stdout);
    Sleep(INFINITE);
  }
  be_terminal(self, count, arguments);
  return 0;
}
