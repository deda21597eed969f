import { createInterface } from 'node:readline/promises'

/** Whether a person can be asked here. */
export const canAsk = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true

/** A question that only a plain yes answers with yes. */
export async function ask(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim())
  } finally {
    lines.close()
  }
}
