import type { Paths } from '@panoptes/engine/home'
import { type Result, success } from '@panoptes/schema'
import { unifiedDiff } from './diff.ts'
import {
  hashOf,
  keepCopy,
  readSettings,
  refusedAsReadOnly,
  replaceSettings,
  type SettingsFile,
} from './file.ts'
import { alone } from './lock.ts'
import { type Installed, readRecords, writeRecord } from './record.ts'

/** How a settings file of one kind of agent is edited. */
export interface Editor {
  readonly agent: string
  readonly file: string
  readonly install: (text: string) => Result<string>
  readonly remove: (text: string) => Result<string>
  /** Without anything of Panoptes, also what another editor put in. */
  readonly bare: (text: string) => Result<string>
  /** What must not be shown beside tokens. */
  readonly hide: readonly string[]
  /** The file holds a secret of ours: nobody else may read it. */
  readonly secret: boolean
}

/** A change to a settings file that nobody has made yet. */
export interface Plan {
  readonly file: string
  readonly changed: boolean
  /** As a unified diff, without secrets. */
  readonly diff: string
  /** Where the copy of the file as it is will be; null where none is made. */
  readonly backup: string | null
  readonly apply: () => Promise<Result<void>>
}

export async function planInstall(paths: Paths, editor: Editor): Promise<Result<Plan>> {
  const read = await readSettings(editor.file)
  if (!read.ok) return read
  const found = read.value
  const edited = editor.install(found.text ?? '')
  if (!edited.ok) return edited
  const after = edited.value
  const planned = copyOf(found, await recordOf(paths, found.path))
  // Where somebody changed the file since our last install, the copy is of their part alone.
  const clean = editor.bare(found.text ?? '')
  const apply = async (): Promise<Result<void>> => {
    const open = refusedAsReadOnly(found)
    if (!open.ok) return open
    // Another one may have written its record since.
    const record = await recordOf(paths, found.path)
    const { backup, isThere } = copyOf(found, record)
    if (backup !== null && !isThere) {
      const kept = await keepCopy(backup, (clean.ok ? clean.value : found.text) ?? '')
      if (!kept.ok) return kept
    }
    const before = modeBefore(found, record)
    const mode = editor.secret || holdsToken(after) ? before & 0o700 : before
    const written = await replaceSettings({ ...found, mode }, after)
    if (!written.ok) return written
    const { agent } = editor
    const sha256 = hashOf(after)
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
    planOf(found, after, editor, planned.backup, async () =>
      done ? success(undefined) : alone(paths, apply),
    ),
  )
}

/**
 * Back to the bytes of before where nobody else changed the file since; else only our own entries go. So they do while
 * another editor of ours has some in it, and the last one that goes brings the bytes back.
 */
export async function planRemove(paths: Paths, editor: Editor): Promise<Result<Plan>> {
  const read = await readSettings(editor.file)
  if (!read.ok) return read
  const found = read.value
  const record = await recordOf(paths, found.path)
  const own = editor.remove(found.text ?? '')
  const bare = editor.bare(found.text ?? '')
  const shared = own.ok && bare.ok && own.value !== bare.value
  const base = shared ? success(found.text) : await baseOf(found, record)
  if (!base.ok) return base
  const cleaned = base.value === null ? success(null) : editor.remove(base.value)
  if (!cleaned.ok) return cleaned
  const after = cleaned.value
  const left = shared && record ? recordAfter(found, record, after) : null
  const apply = async (): Promise<Result<void>> => {
    if (after !== found.text) {
      const open = refusedAsReadOnly(found)
      if (!open.ok) return open
      const before = modeBefore(found, record)
      const mode = holdsToken(after ?? '') ? before & 0o700 : before
      const written = await replaceSettings({ ...found, mode }, after)
      if (!written.ok) return written
    }
    return record ? writeRecord(paths, found.path, left) : success(undefined)
  }
  const done = after === found.text && (record === undefined || shared)
  return success(
    planOf(found, after, editor, null, async () => (done ? success(undefined) : alone(paths, apply))),
  )
}

/** What was known of the file as it was is still known of it as it is now. */
const recordAfter = ({ text }: SettingsFile, record: Installed, after: string | null): Installed =>
  text !== null && hashOf(text) === record.sha256 ? { ...record, sha256: hashOf(after ?? '') } : record

/** The copy stays that of the file before the first change of ours, while nobody else changes it. */
function copyOf({ path, text }: SettingsFile, record: Installed | undefined) {
  if (record !== undefined && text !== null && hashOf(text) === record.sha256) {
    return { backup: record.backup, isThere: true }
  }
  return { backup: text === null ? null : backupOf(path), isThere: false }
}

/** The mode from before we closed the file for a token, unless somebody changed it since. */
function modeBefore({ mode }: SettingsFile, record: Installed | undefined): number {
  const before = record?.mode
  return before !== undefined && mode === (before & 0o700) ? before : mode
}

async function baseOf(found: SettingsFile, record: Installed | undefined): Promise<Result<string | null>> {
  if (found.text === null || record === undefined || hashOf(found.text) !== record.sha256) {
    return success(found.text)
  }
  if (record.backup === null) return success(null)
  const kept = await readSettings(record.backup)
  return kept.ok && kept.value.text !== null ? success(kept.value.text) : success(found.text)
}

const backupOf = (file: string): string => `${file}.panoptes-backup`

const recordOf = async (paths: Paths, file: string): Promise<Installed | undefined> =>
  (await readRecords(paths)).find((record) => record.file === file)

function planOf(
  found: SettingsFile,
  after: string | null,
  { hide }: Editor,
  backup: string | null,
  apply: Plan['apply'],
): Plan {
  const shown = (text: string | null): string | null => (text === null ? null : masked(text, hide))
  const changed = after !== found.text
  const diff = changed ? unifiedDiff(shown(found.text), shown(after), found.path) : ''
  return { file: found.path, changed, diff, backup: changed ? backup : null, apply }
}

const TOKEN = /pn_(?:full|ing|gw)_[\w-]{39}([\w-]{4})/g

const holdsToken = (text: string): boolean => text.search(TOKEN) >= 0

const masked = (text: string, hide: readonly string[]): string =>
  hide.reduce((rest, secret) => rest.replaceAll(secret, `…${secret.slice(-4)}`), text).replace(TOKEN, '…$1')
