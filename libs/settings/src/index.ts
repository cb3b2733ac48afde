export { choice, decimal, flag, integer, list, seconds, text } from './kinds';
export { fileText } from './file-text';
export { doubledKeys, endOfString, visitKeys } from './json-keys';
export { mappingMembers } from './mapping-members';
export { SettingsError, misspeltSettings, readSettings, type SettingProblem } from './read-settings';
export { settingsMarkdown } from './settings-markdown';
export { SettingRefused, type Setting, type SettingsOf } from './setting';
export { requireWebAddress, webAddressProblem } from './web-address';
