import { createReadStream } from 'node:fs'

const CHUNK = 262_144

/** Whether a file has these words somewhere. One that cannot be read has not. */
export async function contains(path: string, words: string): Promise<boolean> {
  let held: Buffer = Buffer.alloc(0)
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: CHUNK })) {
      const bytes = Buffer.concat([held, chunk as Buffer])
      if (bytes.includes(words)) return true
      held = bytes.subarray(Math.max(0, bytes.length - words.length))
    }
  } catch {
    return false
  }
  return false
}
