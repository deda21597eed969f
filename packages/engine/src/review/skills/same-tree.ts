import { lstat, readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'

/** Whether two folders hold the same: names, kinds and bytes. */
export async function isSameTree(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([lstat(one), lstat(other)])
  if (a.isDirectory() && b.isDirectory()) {
    const [names, others] = await Promise.all([readdir(one), readdir(other)])
    if (names.sort().join('\0') !== others.sort().join('\0')) return false
    for (const name of names) if (!(await isSameTree(join(one, name), join(other, name)))) return false
    return true
  }
  if (a.isSymbolicLink() && b.isSymbolicLink()) return (await readlink(one)) === (await readlink(other))
  if (!a.isFile() || !b.isFile() || a.size !== b.size) return false
  return (await readFile(one)).equals(await readFile(other))
}
