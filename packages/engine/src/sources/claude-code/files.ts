import { open } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { isPlainObject } from '@panoptes/schema/plain-object'
import { filesBelow, readEntries } from '../folders.ts'
import { parsed } from '../json.ts'
import type { Listed, SessionFiles } from '../port.ts'
import type { Strays } from './legacy-agent-files.ts'
import { transcriptPath } from './places.ts'

/** Folders beside that of the projects with one folder per session, or with files named after it. */
const FOLDERS = ['file-history', 'tasks']
const TODOS = 'todos'
const PLANS = 'plans'

/**
 * Finds the files of a session: its transcript, its own folder (agents and results of tools), the earlier
 * versions of files it edited, its tasks, and its plan.
 */
export function sessionFiles(projects: string, strays: Strays): SessionFiles {
  const root = dirname(projects)
  const list = async ({ id, place }: Listed): Promise<readonly string[]> => {
    // Without a transcript, only prompts are left, in a file that all sessions share.
    if (place !== transcriptPath(dirname(place), id)) return []
    const folders = [place.slice(0, -'.jsonl'.length), ...FOLDERS.map((name) => join(root, name, id))]
    const found = [place]
    for (const folder of folders) found.push(...(await filesBelow(folder)))
    for (const { path, meta } of (await strays.in(dirname(place))).get(id) ?? []) found.push(path, meta)
    const slug = await planSlug(place)
    for (const [folder, name] of [
      [TODOS, id],
      [PLANS, slug],
    ] as const)
      if (name !== undefined) found.push(...(await filesNamed(join(root, folder), name)))
    return found.map((path) => relative(root, path))
  }
  return { root, list }
}

/** Lists the files of a name, and of the name with an agent: `NAME.md`, `NAME-agent-a1.md`. */
async function filesNamed(folder: string, name: string): Promise<readonly string[]> {
  const isOwn = (file: string): boolean => {
    const stem = basename(file, file.slice(file.lastIndexOf('.')))
    return stem === name || stem.startsWith(`${name}-agent-`)
  }
  return (await readEntries(folder))
    .filter((entry) => entry.isFile() && isOwn(entry.name))
    .map((entry) => join(folder, entry.name))
}

/** Once a session has a plan, every further row names it. The end of a transcript is enough to find one. */
const TAIL_BYTES = 131_072

async function planSlug(transcript: string): Promise<string | undefined> {
  const lines = (await readTail(transcript)).split('\n')
  for (const line of lines.reverse()) {
    const slug = line.includes('"slug"') ? slugIn(line) : undefined
    if (slug !== undefined) return slug
  }
  return undefined
}

/** The first line may have been cut, so that it is no JSON. */
function slugIn(line: string): string | undefined {
  const row = parsed(line)
  const slug = isPlainObject(row) ? row.slug : undefined
  return typeof slug === 'string' && /^[\w-]+$/.test(slug) ? slug : undefined
}

async function readTail(file: string): Promise<string> {
  const handle = await open(file).catch(() => undefined)
  if (handle === undefined) return ''
  try {
    const { size } = await handle.stat()
    const length = Math.min(size, TAIL_BYTES)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await handle.close()
  }
}
