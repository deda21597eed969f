import type { TemplatesReply } from '@panoptes/schema'
import { useState } from 'react'
import { Button } from '../design/button.tsx'
import { copyText } from '../design/copy-button.tsx'
import { Strip } from '../design/strip.tsx'
import { seen } from '../sessions/plain.ts'
import { saidBy } from '../sessions/strips.tsx'
import { Strips } from '../shell/connection-strips.tsx'
import { words } from '../words.ts'

const w = words.templates
const FIRST = 3

/** What went wrong, how old what is shown is then, and files that are no templates. */
export function TemplateStrips(props: {
  readonly reply: TemplatesReply | undefined
  readonly failure: Error | null
  /** When what is shown was read. */
  readonly readAt: number
  readonly onRetry: () => void
}) {
  const { reply, failure } = props
  return (
    <Strips what={w.listWord} reading={false}>
      {failure !== null && (
        <Strip alert glyph="failed" end={<Button onClick={props.onRetry}>{words.actions.tryAgain}</Button>}>
          {w.loadFailed} {saidBy(failure)} {reply && w.shownIsFrom(words.ago(props.readAt, Date.now()))}
        </Strip>
      )}
      {reply && reply.broken.length > 0 && <Broken reply={reply} />}
    </Strips>
  )
}

function Broken({ reply: { broken, folder } }: { readonly reply: TemplatesReply }) {
  const [all, setAll] = useState(false)
  const shown = all ? broken : broken.slice(0, FIRST)
  const rest = broken.length - shown.length
  return (
    <Strip
      glyph="partial"
      end={
        <>
          {rest > 0 && <Button onClick={() => setAll(true)}>{w.broken.more(rest)}</Button>}
          <Button icon="copy" title={seen(folder)} onClick={() => void copyText(folder, w.broken.copied)}>
            {w.broken.copyFolder}
          </Button>
        </>
      }
    >
      {w.broken.count(broken.length)}
      <ul className="max-h-40 overflow-y-auto">
        {shown.map(({ file, reason }) => (
          <li key={file} title={seen(file)} className="[overflow-wrap:anywhere]">
            <code className="text-11 text-text">{seen(nameOf(file))}</code>: {seen(reason)}
          </li>
        ))}
      </ul>
    </Strip>
  )
}

const nameOf = (file: string): string => file.split(/[\\/]/).at(-1) || file
