import { type Check, failed, ok, warning } from './check.ts'

/** No release is older than this. */
const EARLIEST = Date.UTC(2026, 0, 1)
const LATEST = Date.UTC(2100, 0, 1)
const TOLERANCE_MS = 5 * 60_000

export const clockCheck: Check = {
  id: 'clock',
  title: 'Clock',
  run: async ({ ledger }) => {
    const now = Date.now()
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
    const detail = `${new Date(now).toISOString()}, time zone ${zone}`
    const next = 'Set the clock of this computer.'
    if (now < EARLIEST || now > LATEST) return failed(detail, 'The date cannot be right', next)
    const info = await ledger?.info()
    const last = info?.ok ? info.value.lastTs : null
    if (last !== null && last !== undefined && last > now + TOLERANCE_MS) {
      const cause = `The newest event is from ${new Date(last).toISOString()}, which is still to come`
      return warning(detail, cause, `${next} If it is right, an agent's clock is wrong.`)
    }
    return ok(detail)
  },
}
