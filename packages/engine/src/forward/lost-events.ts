import { hash } from 'node:crypto'
import { EVENT_VERSION, type NewEvent } from '@panoptes/schema'
import { hubName } from './hub-url.ts'

/**
 * Builds the event that tells this computer and the hub that events were removed before they could be sent.
 */
export function lostEvent(hub: URL, after: number, lost: number, host: string): NewEvent {
  const ts = Date.now()
  const of = hash('sha256', JSON.stringify([hubName(hub), host, after, ts]), 'base64url').slice(0, 32)
  return {
    v: EVENT_VERSION,
    key: `forward_lost:${of}`,
    ts,
    event: 'forward_lost',
    source: 'panoptes',
    host,
    session_id: `forward-${new Date(ts).toISOString().slice(0, 10)}`,
    from_hook: true,
    lost,
  }
}
