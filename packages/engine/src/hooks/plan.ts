import { open, readFile, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileFailure, makeFolder, type Paths } from '@panoptes/engine/home'
import { failure, type Result, success } from '@panoptes/schema'
import { structuredPatch } from 'diff'
import {
  checkWritable,
  hashText,
  keepCopy,
  readSettings,
  replaceSettings,
  type SettingsFile,
} from './file.ts'
import { type Installed, readRecords, writeRecord } from './record.ts'

/** Edits the settings file of one kind of agent. */
export interface Editor {
  readonly agent: string
  readonly file: string
  readonly install: (text: string) => Result<string>
  readonly remove: (text: string) => Result<string>
  /** Returns the text without any entry of Panoptes, including those of other editors. */
  readonly bare: (text: string) => Result<string>
  /** Strings to mask in diffs, such as tokens. */
  readonly hide: readonly string[]
  /** This is true when the file contains a secret of Panoptes, so only its owner may read it. */
  readonly secret: boolean
}

/** A change to a settings file that was not applied yet. */
export interface Plan {
  readonly file: string
  readonly changed: boolean
  /** The change as a unified diff, without secrets. */
  readonly diff: string
  /** Names the place for a copy of the current file. It is null when no copy is made. */
  readonly backup: string | null
  readonly apply: () => Promise<Result<void>>
}

const CONTEXT_LINES = 3

/** Beyond this many changed lines, the whole text is shown as replaced. */
const MOST_CHANGES = 2_000

export async function planInstall(paths: Paths, editor: Editor): Promise<Result<Plan>> {
  const read = await readSettings(editor.file)
  if (!read.ok) return read
  const found = read.value
  const edited = editor.install(found.text ?? '')
  if (!edited.ok) return edited
  const after = edited.value
  const planned = findCopy(found, await findRecord(paths, found.path))
  // When somebody changed the file since the last install, the copy contains only their part.
  const clean = editor.bare(found.text ?? '')
  const apply = async (): Promise<Result<void>> => {
    const open = checkWritable(found)
    if (!open.ok) return open
    // Another process may have written its record meanwhile.
    const record = await findRecord(paths, found.path)
    const { backup, isThere } = findCopy(found, record)
    if (backup !== null && !isThere) {
      const copied = await keepCopy(backup, (clean.ok ? clean.value : found.text) ?? '')
      if (!copied.ok) return copied
    }
    const before = modeBefore(found, record)
    const mode = editor.secret || hasToken(after) ? before & 0o700 : before
    const written = await replaceSettings({ ...found, mode }, after)
    if (!written.ok) return written
    const { agent } = editor
    const sha256 = hashText(after)
    return writeRecord(paths, found.path, {
      agent,
      file: found.path,
      sha256,
      backup,
      mode: before,
      at: Date.now(),
    })
  }
  const done = after === found.text
  return success(
    createPlan(found, after, editor, planned.backup, async () =>
      done ? success(undefined) : withHooksLock(paths, apply),
    ),
  )
}

/**
 * Restores the original bytes if nobody else changed the file since; otherwise removes only this editor's
 * entries. It also removes only those while another editor of Panoptes still has entries; removing the last
 * editor restores the bytes.
 */
export async function planRemove(paths: Paths, editor: Editor): Promise<Result<Plan>> {
  const read = await readSettings(editor.file)
  if (!read.ok) return read
  const found = read.value
  const record = await findRecord(paths, found.path)
  const own = editor.remove(found.text ?? '')
  const withoutAll = editor.bare(found.text ?? '')
  const shared = own.ok && withoutAll.ok && own.value !== withoutAll.value
  const base = shared ? success(found.text) : await readBase(found, record)
  if (!base.ok) return base
  const cleaned = base.value === null ? success(null) : editor.remove(base.value)
  if (!cleaned.ok) return cleaned
  const after = cleaned.value
  const left = shared && record ? recordAfter(found, record, after) : null
  const apply = async (): Promise<Result<void>> => {
    if (after !== found.text) {
      const open = checkWritable(found)
      if (!open.ok) return open
      const before = modeBefore(found, record)
      const mode = hasToken(after ?? '') ? before & 0o700 : before
      const written = await replaceSettings({ ...found, mode }, after)
      if (!written.ok) return written
      // An empty folder would look like an installed agent. `rmdir` leaves links and other folders alone.
      if (after === null) await rmdir(dirname(editor.file)).catch(() => undefined)
    }
    return record ? writeRecord(paths, found.path, left) : success(undefined)
  }
  const done = after === found.text && (record === undefined || shared)
  return success(
    createPlan(found, after, editor, null, async () =>
      done ? success(undefined) : withHooksLock(paths, apply),
    ),
  )
}

/** Carries the record over to the new content, provided that it described the old content. */
const recordAfter = ({ text }: SettingsFile, record: Installed, after: string | null): Installed =>
  text !== null && hashText(text) === record.sha256 ? { ...record, sha256: hashText(after ?? '') } : record

/** While nobody else changes the file, the backup stays the one from before the first change by Panoptes. */
function findCopy({ path, text }: SettingsFile, record: Installed | undefined) {
  if (record !== undefined && text !== null && hashText(text) === record.sha256) {
    return { backup: record.backup, isThere: true }
  }
  return { backup: text === null ? null : backupPath(path), isThere: false }
}

/**
 * Returns the mode from before Panoptes made the file private for a token, unless somebody changed it since.
 */
function modeBefore({ mode }: SettingsFile, record: Installed | undefined): number {
  const before = record?.mode
  return before !== undefined && mode === (before & 0o700) ? before : mode
}

async function readBase(found: SettingsFile, record: Installed | undefined): Promise<Result<string | null>> {
  if (found.text === null || record === undefined || hashText(found.text) !== record.sha256) {
    return success(found.text)
  }
  if (record.backup === null) return success(null)
  const stored = await readSettings(record.backup)
  return stored.ok && stored.value.text !== null ? success(stored.value.text) : success(found.text)
}

const backupPath = (file: string): string => `${file}.panoptes-backup`

const findRecord = async (paths: Paths, file: string): Promise<Installed | undefined> =>
  (await readRecords(paths)).find((record) => record.file === file)

function createPlan(
  found: SettingsFile,
  after: string | null,
  { hide }: Editor,
  backup: string | null,
  apply: Plan['apply'],
): Plan {
  const shown = (text: string | null): string | null => (text === null ? null : maskSecrets(text, hide))
  const changed = after !== found.text
  const diff = changed ? unifiedDiff(shown(found.text), shown(after), found.path) : ''
  return { file: found.path, changed, diff, backup: changed ? backup : null, apply }
}

const TOKEN = /pn_(?:full|ing|gw)_[\w-]{39}([\w-]{4})/g

const hasToken = (text: string): boolean => text.search(TOKEN) >= 0

const maskSecrets = (text: string, hide: readonly string[]): string =>
  hide.reduce((rest, secret) => rest.replaceAll(secret, `…${secret.slice(-4)}`), text).replace(TOKEN, '…$1')

const TIMEOUT_MS = 10_000
const STEP_MS = 20

/** Serialises changes to settings and records across processes. */
async function withHooksLock<T>(paths: Paths, work: () => Promise<Result<T>>): Promise<Result<T>> {
  const file = join(paths.hooks, '.lock')
  try {
    await makeFolder(paths.hooks)
    const limit = performance.now() + TIMEOUT_MS
    while (!(await taken(file))) {
      if (performance.now() > limit) {
        return failure('busy', `Another panoptes hooks command is running. If not, delete ${file}`)
      }
      await wait(STEP_MS)
    }
  } catch (error) {
    return fileFailure(error, file, 'write')
  }
  try {
    return await work()
  } finally {
    await rm(file, { force: true })
  }
}

async function taken(file: string): Promise<boolean> {
  try {
    const handle = await open(file, 'wx', 0o600)
    await handle.writeFile(String(process.pid))
    await handle.close()
    return true
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    if (isGone(Number(await readFile(file, 'utf8').catch(() => '')))) await rm(file, { force: true })
    return false
  }
}

/**
 * Returns true when the holder died without releasing the lock. A lock file without a pid is still being
 * created.
 */
function isGone(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}

/** Returns the changes between two texts as a unified diff; empty when there are none. */
export function unifiedDiff(before: string | null, after: string | null, file: string): string {
  if (before === after) return ''
  const hunks = findHunks(before ?? '', after ?? '', MOST_CHANGES) ?? replaceAll(before ?? '', after ?? '')
  // The library's own header escapes paths that are not plain ASCII.
  const head = [`--- ${before === null ? '/dev/null' : file}`, `+++ ${after === null ? '/dev/null' : file}`]
  return [...head, ...hunks].join('\n')
}

function findHunks(before: string, after: string, maxEditLength: number): readonly string[] | undefined {
  const patch = structuredPatch('', '', before, after, '', '', { context: CONTEXT_LINES, maxEditLength })
  return patch?.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${formatRange(oldStart, oldLines)} +${formatRange(newStart, newLines)} @@`,
    ...lines,
  ])
}

/** Formats one side of a hunk; an empty side is named by the line before it. */
const formatRange = (start: number, count: number): string => `${count === 0 ? start - 1 : start},${count}`

function replaceAll(before: string, after: string): readonly string[] {
  const changes = [findHunks(before, '', Infinity), findHunks('', after, Infinity)].flatMap(
    (lines) => lines?.slice(1) ?? [],
  )
  const count = (mark: string): number => changes.filter((line) => line.startsWith(mark)).length
  return [`@@ -${formatRange(1, count('-'))} +${formatRange(1, count('+'))} @@`, ...changes]
}
