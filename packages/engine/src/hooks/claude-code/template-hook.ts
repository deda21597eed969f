import { hookCommand } from '../hook-command.ts'
import type { Handler } from './handlers.ts'

/** The script times out before this limit. */
const SECONDS = 5

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
