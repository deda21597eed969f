import { realpathSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'

/** Resolves the folders of the config: `~` and relative paths start at the user's home. */
export const knowledgeFolders = (named: readonly string[], home: string): readonly string[] =>
  named.map((name) =>
    name === '~' || name.startsWith('~/') ? join(home, name.slice(1)) : resolve(home, name),
  )

export interface Root {
  /** The name the user gave it, which also identifies it in the index. */
  readonly folder: string
  /** The real path; each occurs once. */
  readonly real: string
}

export function resolveRoots(folders: readonly string[]): readonly Root[] {
  const roots = new Map<string, Root>()
  for (const folder of folders) {
    const real = realPath(folder)
    if (!roots.has(real)) roots.set(real, { folder, real })
  }
  return [...roots.values()]
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}

/** Names folders by their last segment, plus as many parent segments as it takes to tell them apart. */
export function folderNames(folders: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const folder of folders) {
    const parts = splitPath(folder)
    const others = folders.filter((other) => other !== folder).map(splitPath)
    let taken = 1
    const isShared = () =>
      others.some((other) => other.slice(-taken).join(sep) === parts.slice(-taken).join(sep))
    while (taken < parts.length && isShared()) taken += 1
    names.set(folder, parts.slice(-taken).join('/') || folder)
  }
  return names
}

const splitPath = (folder: string): readonly string[] => folder.split(sep).filter((part) => part !== '')
