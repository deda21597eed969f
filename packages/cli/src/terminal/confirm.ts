import { createInterface } from 'node:readline/promises'
import { toVisible } from '@panoptes/schema/shown'
import { EXIT } from '../failure.ts'

/** Whether a user can answer questions here. */
export const canAsk = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true

/** Asks a question. Only an explicit yes counts as yes. */
export async function ask(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const closed = Promise.withResolvers<string>()
  // The terminal is in raw mode, so Ctrl-C is no signal, and without an answer the question would stay open.
  lines.once('SIGINT', () => process.exit(EXIT.interrupted))
  lines.once('close', () => closed.resolve(''))
  try {
    const answer = lines.question(`${toVisible(question)} [y/N] `).catch(() => '')
    return /^y(es)?$/i.test((await Promise.race([answer, closed.promise])).trim())
  } finally {
    lines.close()
  }
}
