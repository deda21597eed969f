import { appendFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

const PAUSE_MS = 2

/** Writes numbers from 1 on until standard input ends, then prints how many. */
export async function writeOn(write: (n: number) => void | Promise<void>): Promise<void> {
  let written = 0
  let over = false
  process.stdin.on('end', () => {
    over = true
  })
  process.stdin.resume()
  console.log('ready')
  while (!over) {
    written += 1
    await write(written)
    await wait(PAUSE_MS)
  }
  console.log(written)
}

/** Appends a line in two parts, as a slow disk would show it. */
export async function appendSlowly(path: string, line: string): Promise<void> {
  appendFileSync(path, line.slice(0, 40))
  await wait(PAUSE_MS)
  appendFileSync(path, line.slice(40))
}
