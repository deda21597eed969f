import type { HookConnection } from './hooks.ts'

/** The words for the state of hooks, shared by the page, `hooks status` and `doctor`. */
export const hookConnectionWords: Readonly<Record<HookConnection, string>> = {
  connected: 'connected',
  installed: 'installed, nothing heard yet',
  none: 'no hooks',
}

/** How hooks deliver: a script leaves files in the spool, or the agent sends requests. */
export type HookDelivery = 'spool' | 'http'

/** The key in the event store for when the last event arrived by that delivery, in milliseconds. */
export const lastHeardKey = (source: string, delivery: HookDelivery): string => `heard:${source}:${delivery}`
