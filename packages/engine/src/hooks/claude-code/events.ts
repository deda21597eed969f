/** The hook events that show which agent works, waits, fails and ends. */
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

/**
 * Further events that a user may request by name. WorktreeCreate is missing because its hook replaces the
 * client's own action.
 */
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

/** The client drops http hooks for these events. */
export const COMMAND_ONLY: ReadonlySet<string> = new Set(['SessionStart', 'Setup'])
