import { realpathSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'

/** The folders of the config as paths: `~` and what is relative are meant from the person's home. */
export const knowledgeFolders = (named: readonly string[], home: string): readonly string[] =>
  named.map((name) =>
    name === '~' || name.startsWith('~/') ? join(home, name.slice(1)) : resolve(home, name),
  )

export interface Root {
  /** As the person named it; by this it is kept. */
  readonly folder: string
  /** Where it is, each once. */
  readonly real: string
}

export function rootsOf(folders: readonly string[]): readonly Root[] {
  const roots = new Map<string, Root>()
  for (const folder of folders) {
    const real = realOf(folder)
    if (!roots.has(real)) roots.set(real, { folder, real })
  }
  return [...roots.values()]
}

function realOf(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}

/** What folders are called: by their own names, and by those above them as far as it takes to tell them apart. */
export function namesOf(folders: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const folder of folders) {
    const parts = partsOf(folder)
    const others = folders.filter((other) => other !== folder).map(partsOf)
    let taken = 1
    const isShared = () =>
      others.some((other) => other.slice(-taken).join(sep) === parts.slice(-taken).join(sep))
    while (taken < parts.length && isShared()) taken += 1
    names.set(folder, parts.slice(-taken).join('/') || folder)
  }
  return names
}

const partsOf = (folder: string): readonly string[] => folder.split(sep).filter((part) => part !== '')
