export {
  claudeEditor,
  claudeSettingsFile,
  claudeTemplateEditor,
  type Scope as ClaudeScope,
} from './claude-code/editor.ts'
export { CLAUDE_EVENTS, MORE_CLAUDE_EVENTS } from './claude-code/events.ts'
export { type Connections, findConnections } from './connections.ts'
export { SECRET_VARIABLE, WEBHOOK_NAME } from './hermes/desired-hooks.ts'
export { hermesConfigFile, hermesEditor } from './hermes/editor.ts'
export { HERMES_EVENTS, supportedHermesEvents } from './hermes/events.ts'
export { hookCommand } from './hook-command.ts'
export { type Heard, NOTHING_HEARD, readHeard } from './last-deliveries.ts'
export { type Editor, type Plan, planInstall, planRemove } from './plan.ts'
export { placeScript, type ScriptState, scriptFile, scriptState, templateScriptFile } from './script.ts'
export { claudeHooks, type HookState, hermesHooks } from './state.ts'
export { asksForTemplates } from './template-hooks.ts'
