const SPAN_MS = 30_000

/** The throughput of the last half minute, per second. */
export interface Rate {
  readonly add: (events: number, bytes: number) => void
  readonly now: () => { readonly events: number; readonly bytes: number }
}

export function createRate(clock: () => number = Date.now): Rate {
  const began = clock()
  const slots = new Map<number, { events: number; bytes: number }>()
  const forget = (now: number) => {
    for (const second of slots.keys()) {
      if (second * 1_000 > now - SPAN_MS) return
      slots.delete(second)
    }
  }
  return {
    add: (events, bytes) => {
      const now = clock()
      const second = Math.floor(now / 1_000)
      const slot = slots.get(second) ?? { events: 0, bytes: 0 }
      slots.set(second, { events: slot.events + events, bytes: slot.bytes + bytes })
      forget(now)
    },
    now: () => {
      const now = clock()
      forget(now)
      const seconds = Math.max(1, Math.min(SPAN_MS, now - began) / 1_000)
      let [events, bytes] = [0, 0]
      for (const slot of slots.values()) {
        events += slot.events
        bytes += slot.bytes
      }
      return { events: events / seconds, bytes: bytes / seconds }
    },
  }
}
