import { z } from 'zod'

export { type HookDelivery, hookConnectionWords, lastHeardKey } from './hook-connection.ts'

/**
 * The state of an agent's hooks: `connected` only if an event arrived since they were installed. A
 * settings file does not prove that the agent reads it.
 */
export const hookConnection = z.enum(['connected', 'installed', 'none'])
export type HookConnection = z.infer<typeof hookConnection>

/** What is known about an agent's hooks. */
export const sourceHooks = z.object({
  connection: hookConnection,
  /** What keeps them from working. */
  problem: z.string().nullable(),
  /** When the last event arrived by each delivery, in milliseconds. */
  heard: z.object({ spool: z.number().nullable(), http: z.number().nullable() }),
})
export type SourceHooks = z.infer<typeof sourceHooks>
