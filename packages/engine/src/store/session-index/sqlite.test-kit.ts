import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type IndexLab, value } from './conformance/lab.ts'
import { openSqliteIndex } from './sqlite.ts'

export function tempFile(): { readonly file: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'panoptes-index-'))
  return { file: join(folder, 'index.db'), remove: () => rmSync(folder, { recursive: true, force: true }) }
}

export const sqliteLab: IndexLab = {
  open: (options) => {
    const { file, remove } = tempFile()
    return Promise.resolve({
      index: value(openSqliteIndex(file, options)),
      again: (options) => Promise.resolve(value(openSqliteIndex(file, options))),
      remove: () => Promise.resolve(remove()),
    })
  },
}
