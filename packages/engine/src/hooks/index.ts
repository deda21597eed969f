export {
  claudeEditor,
  claudeSettingsFile,
  claudeTemplateEditor,
  type Scope as ClaudeScope,
} from './claude-code/editor.ts'
export { CLAUDE_EVENTS, MORE_CLAUDE_EVENTS } from './claude-code/handlers.ts'
export { type Connections, findConnections } from './connections.ts'
export { hermesConfigFile, hermesEditor } from './hermes/config.ts'
export {
  HERMES_EVENTS,
  SECRET_VARIABLE,
  supportedHermesEvents,
  WEBHOOK_NAME,
} from './hermes/desired-hooks.ts'
export { type Editor, type Plan, planInstall, planRemove } from './plan.ts'
export {
  hookCommand,
  placeScript,
  type ScriptState,
  scriptFile,
  scriptState,
  templateScriptFile,
} from './script.ts'
export {
  claudeHooks,
  type HookState,
  hermesHooks,
  NOTHING_HEARD,
  type ReadLastDelivery as Heard,
  readHeard,
} from './state.ts'
export { hasTemplateHook } from './template-hooks.ts'
