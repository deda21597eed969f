/** Asks for one moment after another, one at a time: what is asked for meanwhile waits, and only the newest of it. */
export interface Frames {
  readonly want: (at: number) => void
  readonly stop: () => void
}

/**
 * Every frame that was asked for is shown, however long it took: while a slow one is under way the clock goes on, and to throw it
 * away for being late would show none at all.
 */
export function createFrames<Frame>(
  read: (at: number) => Promise<Frame>,
  show: (frame: Frame) => void,
  fail: () => void,
): Frames {
  let asked: number | null = null
  let wanted: number | null = null
  let stopped = false

  const ask = async (at: number): Promise<void> => {
    asked = at
    try {
      const frame = await read(at)
      if (!stopped) show(frame)
    } catch {
      if (!stopped) fail()
    }
    asked = null
    const next = wanted
    wanted = null
    if (next !== null && !stopped) void ask(next)
  }

  return {
    want: (at) => {
      if (asked === null) void ask(at)
      else wanted = at === asked ? null : at
    },
    stop: () => {
      stopped = true
    },
  }
}
