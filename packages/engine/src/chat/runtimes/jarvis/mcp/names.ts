import { hash } from 'node:crypto'

const LONGEST = 64
const MARK = 8

/** `server__tool`, in letters that every provider takes. What had to be changed carries a mark of what it was, so that two stay two. */
export function toolName(server: string, tool: string, taken: ReadonlySet<string> = new Set()): string {
  const plain = `${server}__${tool}`
  const name = plain.replace(/[^A-Za-z0-9_-]/g, '_')
  if (name === plain && name.length <= LONGEST && !taken.has(name)) return name
  const mark = hash('sha256', JSON.stringify([server, tool]), 'hex').slice(0, MARK)
  return `${name.slice(0, LONGEST - MARK - 1)}_${mark}`
}
