export type Leave = () => void

/** Room for bytes that are under way. Whoever finds none waits in line for a while, then goes without. */
export interface Room {
  readonly enter: (bytes: number) => Promise<Leave | undefined>
}

interface Waiting {
  readonly bytes: number
  readonly admit: () => void
}

export function createRoom(size: number, limits: { patienceMs: number; waiting: number }): Room {
  const line = new Set<Waiting>()
  let free = size

  const take = (bytes: number): Leave => {
    free -= bytes
    let left = false
    return () => {
      if (left) return
      left = true
      free += bytes
      for (const next of [...line]) {
        if (next.bytes > free) return
        next.admit()
      }
    }
  }

  return {
    enter: async (bytes) => {
      if (line.size === 0 && bytes <= free) return take(bytes)
      if (bytes > size || line.size >= limits.waiting) return undefined
      const { promise, resolve } = Promise.withResolvers<Leave | undefined>()
      const waiting: Waiting = {
        bytes,
        admit: () => {
          clearTimeout(limit)
          line.delete(waiting)
          resolve(take(bytes))
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
