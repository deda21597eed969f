import { createHash } from 'node:crypto'
import { chmod, readFile, stat, utimes } from 'node:fs/promises'
import { replaceFile } from '@panoptes/engine/home'

const LARGEST = 8 * 1024 * 1024

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

export interface SkillText {
  readonly text: string
  readonly mode: number
  readonly mtimeMs: number
}

/** Reads a whole SKILL.md; a string explains why it cannot be written back byte for byte. */
export async function readSkillText(file: string): Promise<SkillText | string> {
  try {
    const found = await stat(file)
    if (!found.isFile()) return `${file} is not a file`
    const { size, mode, mtimeMs } = found
    if (size > LARGEST) return `${file} is larger than ${LARGEST / 1024 / 1024} MB`
    const bytes = await readFile(file)
    const text = bytes.toString('utf8')
    if (!Buffer.from(text, 'utf8').equals(bytes)) return `${file} is not UTF-8 text`
    return { text, mode: mode & 0o777, mtimeMs }
  } catch (error) {
    return `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** Replaces a file atomically and keeps its mode. */
export async function writeSkillText(
  file: string,
  text: string,
  { mode, mtimeMs }: { readonly mode: number; readonly mtimeMs?: number },
): Promise<void> {
  await replaceFile(file, text, mode)
  await chmod(file, mode)
  if (mtimeMs !== undefined) await utimes(file, new Date(), new Date(mtimeMs))
}
