/** The hook events that tell who works, waits, fails and ends. */
export const CLAUDE_EVENTS: readonly string[] = [
  'SessionStart',
  'SessionEnd',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PermissionRequest',
  'PermissionDenied',
  'Notification',
  'SubagentStart',
  'SubagentStop',
  'Stop',
  'StopFailure',
  'PreCompact',
  'PostCompact',
]

/** More that may be asked for by name. WorktreeCreate is not among them: its hook takes the place of what the client does. */
export const MORE_CLAUDE_EVENTS: readonly string[] = [
  'PostToolBatch',
  'UserPromptExpansion',
  'PreModelSwitch',
  'PostModelSwitch',
  'Setup',
  'TeammateIdle',
  'TaskCreated',
  'TaskCompleted',
  'Elicitation',
  'ElicitationResult',
  'ConfigChange',
  'WorktreeRemove',
  'InstructionsLoaded',
  'CwdChanged',
  'FileChanged',
  'DirectoryAdded',
  'MessageDisplay',
]

/** For these the client drops an http hook. */
export const COMMAND_ONLY: ReadonlySet<string> = new Set(['SessionStart', 'Setup'])
