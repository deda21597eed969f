export { BROWSER_DAYS, type Browsers, browsersFile, openBrowsers } from './browsers.ts'
export { nearest } from './closest-match.ts'
export {
  editConfig,
  editConfigRow,
  mistakesFailure,
  readConfig,
  readConfigText,
  settingDefault,
} from './config-file.ts'
export { CONFIG_DEFAULTS, CONFIG_TABLES, type ConfigValue, valueAt } from './config-keys.ts'
export { checkCreatable } from './creatable-folder.ts'
export { createHome, isOpenToOthers } from './create.ts'
export { DEFAULT_CONFIG } from './default-config.ts'
export { fileFailure } from './file-failure.ts'
export {
  CHALLENGE_HEADER,
  computeHomeProof,
  type DaemonState,
  findDaemon,
  isConfigPending,
  isProcess,
  PROOF_HEADER,
  readDaemonFile,
  removeDaemonFile,
  writeDaemonFile,
} from './find-daemon.ts'
export { forwardTokenFile, keepForwardToken, parseToken, readForwardToken } from './forward-token.ts'
export { isLoopback } from './loopback.ts'
export { makeFolder } from './make-folder.ts'
export { type ConfigMistake, type ConfigParsing, type ParsedConfig, parseConfig } from './parse-config.ts'
export { isInHome, ownerOfHome, type Paths, realTarget, resolvePaths } from './paths.ts'
export { NotAFile, readRegular, readRegularSync } from './read-regular.ts'
export { findBrokenTokens, maskToken, openTokens, TOKEN_SCOPES, type Tokens, tokenFile } from './tokens.ts'
export { webhookSecret, webhookSecretFile } from './webhook-secret.ts'
export { replaceFile } from './write-file.ts'
