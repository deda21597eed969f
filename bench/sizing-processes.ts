import { readdirSync, readFileSync } from 'node:fs'

const TICKS = 100

interface Stat {
  readonly pid: number
  readonly name: string
  readonly parent: number
  readonly own: number
  /** Processor seconds of ended children. */
  readonly ended: number
}

function statOf(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const end = text.lastIndexOf(')')
    const fields = text.slice(end + 2).split(' ')
    const at = (n: number) => Number(fields[n - 3])
    return {
      pid,
      name: text.slice(text.indexOf('(') + 1, end),
      parent: at(4),
      own: (at(14) + at(15)) / TICKS,
      ended: (at(16) + at(17)) / TICKS,
    }
  } catch {
    return undefined
  }
}

const all = (): readonly Stat[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(Number(name)) ?? [])

/** Returns the processor seconds of a process so far. */
export const cpuOf = (pid: number): number => statOf(pid)?.own ?? 0

/** Returns the same including all descendants, even ended ones. */
export function cpuOfTree(pid: number): number {
  const stats = all()
  const root = stats.find((each) => each.pid === pid)
  const children = stats.filter(({ parent }) => parent === pid)
  return (root?.own ?? 0) + (root?.ended ?? 0) + children.reduce((sum, { own }) => sum + own, 0)
}

/** Finds the newest child of this process with the given name. */
export const childNamed = (name: string): number | undefined =>
  all().findLast((each) => each.parent === process.pid && each.name.startsWith(name))?.pid
