import { type Handler, quoted } from './handlers.ts'

/** The script gives up before. */
const SECONDS = 5

/** For a session that begins, the client takes nothing but a command. */
export const templateHandlers = (script: string, home: string): ReadonlyMap<string, Handler> =>
  new Map([
    [
      'SessionStart',
      { type: 'command', command: `${quoted(script)} claude-code ${quoted(home)}`, timeout: SECONDS },
    ],
  ])

const COMMAND = /(?:^|\/)panoptes-template\.sh'? claude-code(?: |$)/

/** Whether Panoptes wrote this entry to give templates, now or in an older version. */
export function isTemplateHook(handler: unknown): boolean {
  if (typeof handler !== 'object' || handler === null) return false
  const { type, command } = handler as Record<string, unknown>
  return type === 'command' && typeof command === 'string' && COMMAND.test(command)
}
