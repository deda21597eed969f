import type { TemplatesReply } from '@panoptes/schema'
import { toVisible } from '@panoptes/schema/shown'
import { Fragment, useState } from 'react'
import { Button } from '../design/button.tsx'
import { copyText } from '../design/copy-button.tsx'
import { Strip } from '../design/strip.tsx'
import { errorText } from '../sessions/strips.tsx'
import { Strips } from '../shell/connection-strips.tsx'
import { words } from '../words.ts'
import { groupByFolder } from './broken-files.ts'

const w = words.templates
const FIRST = 3

/** Reports failures, the age of the list, and invalid template files. */
export function TemplateStrips(props: {
  readonly reply: TemplatesReply | undefined
  readonly failure: Error | null
  /** When the list was fetched. */
  readonly readAt: number
  readonly onRetry: () => void
}) {
  const { reply, failure } = props
  return (
    <Strips what={w.listWord} reading={false}>
      {failure !== null && (
        <Strip alert glyph="failed" end={<Button onClick={props.onRetry}>{words.actions.tryAgain}</Button>}>
          {w.loadFailed} {errorText(failure)} {reply && w.shownIsFrom(words.ago(props.readAt, Date.now()))}
        </Strip>
      )}
      {reply && reply.broken.length > 0 && <Broken reply={reply} />}
    </Strips>
  )
}

function Broken({ reply }: { readonly reply: TemplatesReply }) {
  const { broken } = reply
  const [all, setAll] = useState(false)
  const shown = all ? broken : broken.slice(0, FIRST)
  const rest = broken.length - shown.length
  const folders = groupByFolder(broken, reply)
  return (
    <Strip
      glyph="partial"
      end={
        <>
          {rest > 0 && <Button onClick={() => setAll(true)}>{w.broken.more(rest)}</Button>}
          {folders.map(({ path, isOurs }) => (
            <Button
              key={path}
              icon="copy"
              title={toVisible(path)}
              onClick={() => void copyText(path, w.broken.copied)}
            >
              {folders.length === 1 ? w.broken.copyFolder : isOurs ? w.broken.copyOurs : w.broken.copyHermes}
            </Button>
          ))}
        </>
      }
    >
      {w.broken.count(broken.length)}
      <div className="max-h-40 overflow-y-auto [overflow-wrap:anywhere]">
        {groupByFolder(shown, reply).map(({ path, files }) => (
          <Fragment key={path}>
            <p className="text-text-3">
              {w.broken.in} <code className="text-11">{toVisible(path)}</code>
            </p>
            <ul>
              {files.map(({ name, reason }) => (
                <li key={name}>
                  <code className="text-11 text-text">{toVisible(name)}</code>: {toVisible(reason)}
                </li>
              ))}
            </ul>
          </Fragment>
        ))}
      </div>
    </Strip>
  )
}
