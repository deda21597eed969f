import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

const LARGEST = 4 * 1024 * 1024

/** Why a skill in the folder of Hermes is not a person's own; by its name. */
export type Brought = ReadonlyMap<string, string>

/** Skills that Hermes itself puts in its folder and looks after: those it comes with, and those of its hub. */
export async function broughtByHermes(skills: string): Promise<Brought> {
  const [bundled, lock] = await Promise.all([
    textOf(join(skills, '.bundled_manifest')),
    textOf(join(skills, '.hub', 'lock.json')),
  ])
  return new Map([
    ...namesOfBundled(bundled).map((name) => [name, 'Hermes comes with it and keeps it up to date'] as const),
    ...namesOfHub(lock).map((name) => [name, 'the hub of Hermes installed it'] as const),
  ])
}

/** A name on each line, with a digest behind a colon. */
const namesOfBundled = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => (line.split(':')[0] ?? '').trim())
    .filter((name) => name !== '')

function namesOfHub(text: string): readonly string[] {
  try {
    const { installed } = JSON.parse(text) as { readonly installed?: unknown }
    return typeof installed === 'object' && installed !== null ? Object.keys(installed) : []
  } catch {
    return []
  }
}

async function textOf(file: string): Promise<string> {
  try {
    const found = await stat(file)
    return found.isFile() && found.size <= LARGEST ? await readFile(file, 'utf8') : ''
  } catch {
    return ''
  }
}
