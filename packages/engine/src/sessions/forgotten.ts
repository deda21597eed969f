import type { ForgottenSessions } from '@panoptes/engine/ledger'
import type { SessionSource } from '@panoptes/engine/sources'

/** A source as if what was forgotten of it had never been. */
export const withoutForgotten = (source: SessionSource, forgotten: ForgottenSessions): SessionSource => ({
  ...source,
  async *list(signal) {
    for await (const record of source.list(signal)) {
      if (record.kind !== 'listed' || !forgotten.has(source.name, record.id)) yield record
    }
  },
})
