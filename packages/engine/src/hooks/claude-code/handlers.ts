import { COMMAND_ONLY } from './events.ts'

/** One entry of a chain of hooks, as Claude Code's settings have it. */
export type Handler =
  | { readonly type: 'command'; readonly command: string; readonly timeout: number }
  | {
      readonly type: 'http'
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
      /** The variables of the client that headers may name. */
      readonly allowedEnvVars: readonly string[]
      readonly timeout: number
    }

export interface Wish {
  readonly events: readonly string[]
  /** The script that every command entry runs, and the home it leaves payloads in. */
  readonly script: string
  readonly home: string
  /** Where http entries go, and with which token. */
  readonly http: { readonly address: string; readonly token: string } | null
  /** All events over http where the client can, not only an answerable permission. */
  readonly preferHttp: boolean
  /** How long a permission may wait for an answer from the page; 0 is not at all. */
  readonly answerSeconds: number
}

/** In the environment of a client both are there only where another client's hook started it. */
const WITHIN_VARIABLES: readonly string[] = ['CLAUDECODE', 'CLAUDE_PROJECT_DIR']
const WITHIN_VALUE = '$CLAUDECODE:$CLAUDE_PROJECT_DIR'

const SECONDS = 5
const PATH = '/hooks/claude-code'

export function handlersFor(wish: Wish): ReadonlyMap<string, Handler> {
  return new Map(wish.events.map((event) => [event, handlerFor(event, wish)]))
}

function handlerFor(event: string, { script, home, http, preferHttp, answerSeconds }: Wish): Handler {
  const answerable = event === 'PermissionRequest' && answerSeconds > 0
  if (http === null || COMMAND_ONLY.has(event) || !(preferHttp || answerable)) {
    // Once for each session the script looks where the client comes from.
    const more = event === 'SessionStart' ? ' start' : ''
    const command = `${quoted(script)} claude-code ${quoted(home)}${more}`
    return { type: 'command', command, timeout: SECONDS }
  }
  return {
    type: 'http',
    url: `${http.address}${PATH}`,
    headers: { Authorization: `Bearer ${http.token}`, 'X-Panoptes-Within': WITHIN_VALUE },
    allowedEnvVars: WITHIN_VARIABLES,
    // The daemon gives up first, so that the client always hears from it.
    timeout: answerable ? answerSeconds + SECONDS : SECONDS,
  }
}

/** For sh: as it is where nothing in it is special, else in single quotes. */
export const quoted = (path: string): string =>
  /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`

const OUR_COMMAND = /(?:^|\/)panoptes-hook\.sh'? claude-code(?: |$)/
const OUR_URL = /^http:\/\/[^/]+\/hooks\/claude-code$/

/** Whether Panoptes wrote this entry, now or in an older version. */
export function isOurs(handler: unknown): boolean {
  if (typeof handler !== 'object' || handler === null) return false
  const { type, command, url, headers } = handler as Record<string, unknown>
  if (type === 'command') return typeof command === 'string' && OUR_COMMAND.test(command)
  if (type !== 'http' || typeof url !== 'string' || !OUR_URL.test(url)) return false
  const token = (headers as { Authorization?: unknown } | null | undefined)?.Authorization
  return typeof token === 'string' && token.startsWith('Bearer pn_ing_')
}
