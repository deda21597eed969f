import type { KeptTraces } from '@panoptes/engine/moa'
import type { Forgetter } from '@panoptes/engine/sessions'
import { success } from '@panoptes/schema/result'

/** Traces of forgotten sessions go with them. One of Hermes that asked through us is written down under the id it has there. */
export const tracesForgetter =
  (traces: Pick<KeptTraces, 'forget'>, written: () => Promise<void> = async () => undefined): Forgetter =>
  async (sessions) => {
    await written()
    const ids = sessions.filter(({ source }) => ['panoptes', 'hermes'].includes(source)).map(({ id }) => id)
    const gone = await traces.forget(ids)
    if (!gone.ok) return gone
    return success(gone.value === 0 ? [] : [{ from: 'moa-traces', what: 'lines', count: gone.value }])
  }
