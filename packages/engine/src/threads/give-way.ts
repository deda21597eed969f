import { setPriority } from 'node:os'

const LOW = 10

/** Whoever answers people goes first. Only Linux has this for a single thread. */
export function giveWay(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(LOW)
  } catch {
    // Where it is not allowed, it goes on as before.
  }
}
