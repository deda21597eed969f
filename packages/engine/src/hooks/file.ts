import { createHash, randomBytes } from 'node:crypto'
import { chmod, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileFailure, makeFolder, NotAFile, realTarget } from '@panoptes/engine/home'
import { failure, type Result, success } from '@panoptes/schema'

/** A settings file of an agent as it is on disk; `text` is null where there is no file. */
export interface SettingsFile {
  /** The real path, with links resolved. */
  readonly path: string
  readonly text: string | null
  readonly mode: number
}

const LARGEST = 8 * 1024 * 1024
const NEW_MODE = 0o600

export async function readSettings(named: string): Promise<Result<SettingsFile>> {
  const path = await realTarget(named)
  try {
    const found = await stat(path)
    if (!found.isFile()) throw new NotAFile(path, found)
    const { mode, size } = found
    if (size > LARGEST) return failure('invalid', `${path} is larger than ${LARGEST / 1024 / 1024} MB`)
    const bytes = await readFile(path)
    const text = bytes.toString('utf8')
    // A file that cannot be written back byte for byte stays untouched.
    if (!Buffer.from(text, 'utf8').equals(bytes)) return failure('invalid', `${path} is not UTF-8 text`)
    return success({ path, text, mode: mode & 0o777 })
  } catch (error) {
    const refused = fileFailure(error, path, 'read')
    return refused.code === 'not_found' ? success({ path, text: null, mode: NEW_MODE }) : refused
  }
}

/**
 * Replaces the file atomically and refuses when somebody else changed it first. A null text removes the file.
 */
export async function replaceSettings(
  { path, text: before, mode }: SettingsFile,
  after: string | null,
): Promise<Result<void>> {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.${randomBytes(4).toString('hex')}`)
  try {
    await makeFolder(dirname(path), 0o777)
    if (after !== null) await writeNew(temporary, after, mode)
    const now = await readSettings(path)
    if (!now.ok) return now
    // Another Panoptes process made the same change.
    if (now.value.text === after && now.value.mode === mode) return success(undefined)
    if (now.value.text !== before) {
      return failure('busy', `${path} was changed by another program in the meantime; nothing was written`)
    }
    if (after === null) await rm(path, { force: true })
    else await rename(temporary, path)
    return success(undefined)
  } catch (error) {
    return fileFailure(error, path, 'write')
  } finally {
    await rm(temporary, { force: true })
  }
}

/** The owner removed write permission, and a rename would bypass that. */
export const checkWritable = ({ path, text, mode }: SettingsFile): Result<void> =>
  text === null || (mode & 0o222) !== 0
    ? success(undefined)
    : failure(
        'read_only',
        `${path} is read-only; nothing was written. Make it writable with: chmod u+w "${path}"`,
      )

/** Writes a copy next to the file and replaces an older copy. */
export async function keepCopy(path: string, text: string): Promise<Result<void>> {
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString('hex')}.part`
  try {
    await writeNew(temporary, text, NEW_MODE)
    await rename(temporary, path)
    return success(undefined)
  } catch (error) {
    return fileFailure(error, path, 'write')
  } finally {
    await rm(temporary, { force: true })
  }
}

export const hashText = (text: string): string => createHash('sha256').update(text).digest('hex')

async function writeNew(file: string, text: string, mode: number): Promise<void> {
  const handle = await open(file, 'wx', mode)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await chmod(file, mode)
}
