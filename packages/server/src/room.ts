export type Leave = () => void

/** Room for bytes that are under way. Whoever finds none waits in line for a while, then goes without. */
export interface Room {
  /** Of those who say who they are, nobody has more than half of the room, or of the line, but for one body that is larger. */
  readonly enter: (bytes: number, who?: string) => Promise<Leave | undefined>
}

interface Waiting {
  readonly bytes: number
  readonly who: string | undefined
  readonly admit: () => void
}

export function createRoom(size: number, limits: { patienceMs: number; waiting: number }): Room {
  const line = new Set<Waiting>()
  const held = new Map<string, number>()
  let free = size

  const mayHave = ({ bytes, who }: Pick<Waiting, 'bytes' | 'who'>): boolean => {
    const has = who === undefined ? undefined : held.get(who)
    return has === undefined || has + bytes <= size / 2
  }
  const hold = (who: string | undefined, bytes: number) => {
    if (who === undefined) return
    const now = (held.get(who) ?? 0) + bytes
    if (now > 0) held.set(who, now)
    else held.delete(who)
  }

  const take = ({ bytes, who }: Pick<Waiting, 'bytes' | 'who'>): Leave => {
    free -= bytes
    hold(who, bytes)
    let left = false
    return () => {
      if (left) return
      left = true
      free += bytes
      hold(who, -bytes)
      for (const next of [...line]) {
        // Nobody waits for somebody else's turn to come again.
        if (!mayHave(next)) continue
        if (next.bytes > free) return
        next.admit()
      }
    }
  }

  return {
    enter: async (bytes, who) => {
      const wish = { bytes, who }
      const before = [...line].filter(mayHave)
      if (before.length === 0 && bytes <= free && mayHave(wish)) return take(wish)
      const own = who === undefined ? 0 : [...line].filter((each) => each.who === who).length
      if (bytes > size || line.size >= limits.waiting || own >= limits.waiting / 2) return undefined
      const { promise, resolve } = Promise.withResolvers<Leave | undefined>()
      const waiting: Waiting = {
        ...wish,
        admit: () => {
          clearTimeout(limit)
          line.delete(waiting)
          resolve(take(wish))
        },
      }
      const limit = setTimeout(() => {
        line.delete(waiting)
        resolve(undefined)
      }, limits.patienceMs)
      line.add(waiting)
      return promise
    },
  }
}
