import type { TraceStore } from '@panoptes/engine/moa'
import type { Forgetter } from '@panoptes/engine/sessions'
import { success } from '@panoptes/schema/result'

/**
 * Deletes the traces of forgotten sessions. A Hermes session that called Panoptes is stored under its id in
 * Hermes.
 */
export const tracesForgetter =
  (traces: Pick<TraceStore, 'forget'>, written: () => Promise<void> = async () => undefined): Forgetter =>
  async (sessions) => {
    await written()
    const ids = sessions.filter(({ source }) => ['panoptes', 'hermes'].includes(source)).map(({ id }) => id)
    const gone = await traces.forget(ids)
    if (!gone.ok) return gone
    return success(gone.value === 0 ? [] : [{ from: 'moa-traces', what: 'lines', count: gone.value }])
  }
