import { hookCommand } from '../script.ts'

/** One handler in a hook chain of Claude Code's settings. */
export type Handler =
  | { readonly type: 'command'; readonly command: string; readonly timeout: number }
  | {
      readonly type: 'http'
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
      /** The environment variables that headers may refer to. */
      readonly allowedEnvVars: readonly string[]
      readonly timeout: number
    }

export interface DesiredHooks {
  readonly events: readonly string[]
  /** The script that every command entry runs, and the home where it leaves payloads. */
  readonly script: string
  readonly home: string
  /** The address and token of http entries. */
  readonly http: { readonly address: string; readonly token: string } | null
  /** Uses http for every event where the client supports it, not only for an answerable permission. */
  readonly preferHttp: boolean
  /** A permission may wait this long for an answer from the page. Zero disables waiting. */
  readonly answerSeconds: number
}

/** A client has both variables in its environment only when another client's hook started it. */
const WITHIN_VARIABLES: readonly string[] = ['CLAUDECODE', 'CLAUDE_PROJECT_DIR']
const WITHIN_VALUE = '$CLAUDECODE:$CLAUDE_PROJECT_DIR'

const SECONDS = 5
const PATH = '/hooks/claude-code'

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

export function handlersFor(wish: DesiredHooks): ReadonlyMap<string, Handler> {
  return new Map(wish.events.map((event) => [event, handlerFor(event, wish)]))
}

function handlerFor(event: string, { script, home, http, preferHttp, answerSeconds }: DesiredHooks): Handler {
  const answerable = event === 'PermissionRequest' && answerSeconds > 0
  if (http === null || COMMAND_ONLY.has(event) || !(preferHttp || answerable)) {
    // At session start the script also checks where the client was started from.
    const more = event === 'SessionStart' ? ['start'] : []
    return {
      type: 'command',
      command: hookCommand(script, ['claude-code', home, ...more]),
      timeout: SECONDS,
    }
  }
  return {
    type: 'http',
    url: `${http.address}${PATH}`,
    headers: { Authorization: `Bearer ${http.token}`, 'X-Panoptes-Within': WITHIN_VALUE },
    allowedEnvVars: WITHIN_VARIABLES,
    // The daemon times out first, so that the client always gets its answer.
    timeout: answerable ? answerSeconds + SECONDS : SECONDS,
  }
}

const OUR_COMMAND = /(?:^|\/)panoptes-hook\.sh'? claude-code(?: |$)/
const OUR_URL = /^http:\/\/[^/]+\/hooks\/claude-code$/

/** Returns true when this or an older version of Panoptes wrote the entry. */
export function isOurs(handler: unknown): boolean {
  if (typeof handler !== 'object' || handler === null) return false
  const { type, command, url, headers } = handler as Record<string, unknown>
  if (type === 'command') return typeof command === 'string' && OUR_COMMAND.test(command)
  if (type !== 'http' || typeof url !== 'string' || !OUR_URL.test(url)) return false
  const token = (headers as { Authorization?: unknown } | null | undefined)?.Authorization
  return typeof token === 'string' && token.startsWith('Bearer pn_ing_')
}

/** The client supports only command hooks at session start. */
export const templateHandlers = (script: string, home: string): ReadonlyMap<string, Handler> =>
  new Map([
    [
      'SessionStart',
      { type: 'command', command: hookCommand(script, ['claude-code', home]), timeout: SECONDS },
    ],
  ])

const COMMAND = /(?:^|\/)panoptes-template\.sh'? claude-code(?: |$)/

/** Returns true when this or an older version of Panoptes wrote the entry as a template hook. */
export function isTemplateHook(handler: unknown): boolean {
  if (typeof handler !== 'object' || handler === null) return false
  const { type, command } = handler as Record<string, unknown>
  return type === 'command' && typeof command === 'string' && COMMAND.test(command)
}
