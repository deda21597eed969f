import type { DatabaseSync } from 'node:sqlite'
import { indexText } from '../session-index/words.ts'
import { inTransaction } from '../sqlite/in-transaction.ts'
import type { KnowledgeChange } from './port.ts'

type File = Extract<KnowledgeChange, { readonly type: 'file' }>

export function changed(db: DatabaseSync, changes: readonly KnowledgeChange[]): null {
  const writer = writerOf(db)
  return inTransaction(db, () => {
    for (const change of changes) writer(change)
    return null
  })
}

function writerOf(db: DatabaseSync): (change: KnowledgeChange) => void {
  const numberOf = db.prepare('SELECT number FROM files WHERE folder = ? AND path = ?')
  const ofFolder = db.prepare('SELECT number FROM files WHERE folder = ?')
  const addFile = db.prepare('INSERT INTO files (folder, path, mark, hash) VALUES (?, ?, ?, ?)')
  const addPassage = db.prepare('INSERT INTO passages (file, headings, text) VALUES (?, ?, ?)')
  const addWords = db.prepare('INSERT INTO words (rowid, text, headings) VALUES (?, ?, ?)')
  const dropWords = db.prepare(
    'DELETE FROM words WHERE rowid IN (SELECT number FROM passages WHERE file = ?)',
  )
  const dropPassages = db.prepare('DELETE FROM passages WHERE file = ?')
  const dropFile = db.prepare('DELETE FROM files WHERE number = ?')
  const mark = db.prepare('UPDATE files SET mark = ? WHERE folder = ? AND path = ?')

  const drop = (row: Record<string, unknown> | undefined) => {
    if (row === undefined) return
    const number = Number(row.number)
    for (const statement of [dropWords, dropPassages, dropFile]) statement.run(number)
  }
  const add = ({ folder, path, mark, hash, passages }: File) => {
    drop(numberOf.get(folder, path))
    const file = addFile.run(folder, path, mark, hash).lastInsertRowid
    for (const { headings, text } of passages) {
      const number = addPassage.run(file, JSON.stringify(headings), text).lastInsertRowid
      addWords.run(number, indexText(text), indexText([path, ...headings].join('\n')))
    }
  }
  return (change) => {
    if (change.type === 'file') add(change)
    else if (change.type === 'mark') mark.run(change.mark, change.folder, change.path)
    else if (change.type === 'drop') drop(numberOf.get(change.folder, change.path))
    else for (const row of ofFolder.all(change.folder)) drop(row)
  }
}
