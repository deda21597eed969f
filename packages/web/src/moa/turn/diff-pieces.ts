import type { DiffPiece } from '@panoptes/schema'

/** Joins neighboring changes into one removal and one addition. White space alone does not split a change. */
export function readablePieces(pieces: readonly DiffPiece[]): readonly DiffPiece[] {
  const read: DiffPiece[] = []
  let removed = ''
  let added = ''
  let space = ''
  const put = (type: DiffPiece['type'], text: string) => {
    const last = read.at(-1)
    if (text === '') return
    if (last?.type === type) read[read.length - 1] = { type, text: last.text + text }
    else read.push({ type, text })
  }
  const end = () => {
    put('removed', removed)
    put('added', added)
    put('same', space)
    removed = added = space = ''
  }
  for (const { type, text } of pieces) {
    const isOpen = removed !== '' || added !== ''
    if (type === 'same' && !(isOpen && text.trim() === '')) {
      end()
      put('same', text)
    } else if (type === 'same') space += text
    else {
      // The pending change continues after the space, which both sides share.
      removed += removed === '' && type === 'added' ? '' : space
      added += added === '' && type === 'removed' ? '' : space
      space = ''
      if (type === 'removed') removed += text
      else added += text
    }
  }
  end()
  return read
}
