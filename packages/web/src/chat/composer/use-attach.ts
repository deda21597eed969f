import { type ClipboardEvent, type DragEvent, useCallback, useEffect, useState } from 'react'
import { toast } from '../../design/toast.tsx'
import { words } from '../../words.ts'
import { changeDraft, getDraft } from './drafts.ts'
import { readFiles } from './files.ts'

export interface FileAttachment {
  readonly add: (files: readonly File[]) => void
  /** Files are being dragged over the page. */
  readonly isOver: boolean
  readonly onPaste: (event: ClipboardEvent) => void
  readonly onDrag: {
    readonly onDragOver: (event: DragEvent) => void
    readonly onDragLeave: (event: DragEvent) => void
    readonly onDrop: (event: DragEvent) => void
  }
}

/** Attaches files that are chosen, pasted or dropped. */
export function useAttach(id: string): FileAttachment {
  const [isOver, setIsOver] = useState(false)
  useEffect(preventFileNavigation, [])
  const add = useCallback(
    (chosen: readonly File[]) => {
      if (chosen.length === 0) return
      void readFiles(chosen, getDraft(id).files).then(({ files, problems }) => {
        const before = getDraft(id)
        if (files.length > 0) changeDraft(id, { files: [...before.files, ...files], kept: [] })
        if (files.length > 0 && before.kept.length > 0) toast({ text: words.chat.composer.filesReplaced })
        for (const text of problems.slice(0, 3)) toast({ text, tone: 'failed' })
      })
    },
    [id],
  )
  return {
    add,
    isOver,
    onPaste: (event) => {
      const { files: pasted, types } = event.clipboardData
      const files = [...pasted]
      // Copying from a document puts both text and an image of it on the clipboard; the text counts.
      if (files.length === 0 || types.includes('text/plain')) return
      event.preventDefault()
      add(files)
    },
    onDrag: {
      onDragOver: (event) => {
        if (!event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        setIsOver(true)
      },
      onDragLeave: (event) => {
        const to = event.relatedTarget
        if (!(to instanceof Node && event.currentTarget.contains(to))) setIsOver(false)
      },
      onDrop: (event) => {
        setIsOver(false)
        if (!event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        add([...event.dataTransfer.files])
      },
    },
  }
}

/** Without this, a file dropped beside the messages would replace the page. */
function preventFileNavigation(): () => void {
  const stay = (event: globalThis.DragEvent) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault()
  }
  addEventListener('dragover', stay)
  addEventListener('drop', stay)
  return () => {
    removeEventListener('dragover', stay)
    removeEventListener('drop', stay)
  }
}
