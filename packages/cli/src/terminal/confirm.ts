import { createInterface } from 'node:readline/promises'
import { toVisible } from '@panoptes/schema/shown'

/** Whether a user can answer questions here. */
export const canAsk = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true

/** Asks a question. Only an explicit yes counts as yes. */
export async function ask(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(es)?$/i.test((await lines.question(`${toVisible(question)} [y/N] `)).trim())
  } finally {
    lines.close()
  }
}
