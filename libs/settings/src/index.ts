export { choice, decimal, duration, flag, integer, list, text } from './kinds';
export { SettingsError, readSettings, type SettingProblem } from './read-settings';
export { settingsMarkdown } from './settings-markdown';
export { SettingRefused, type Setting, type SettingsOf, type SettingsTable } from './setting';
