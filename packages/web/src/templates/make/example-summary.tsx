import type { TemplatePreview } from '@panoptes/schema'
import { Tag } from '../../design/tag.tsx'
import { words } from '../../words.ts'

const w = words.templates

/** What a template would keep of a session, and what it leaves out. */
export function ExampleSummary({ preview }: { readonly preview: TemplatePreview }) {
  const { notes, calls, failed, unanswered } = preview
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      <span className="mr-1 font-semibold">{w.make.keeps(preview.template.examples.length, calls)}</span>
      <Tag>{w.make.looked(preview.turns)}</Tag>
      <Tag>{w.make.failedCalls(failed)}</Tag>
      <Tag>{w.make.unanswered(unanswered)}</Tag>
      {notes.left_out > 0 && <Tag>{w.examples.leftOut(notes.left_out)}</Tag>}
      {notes.secrets_removed > 0 ? (
        <Tag tone="stuck">{w.examples.removed(notes.secrets_removed)}</Tag>
      ) : (
        <Tag>{w.make.clean}</Tag>
      )}
    </div>
  )
}
