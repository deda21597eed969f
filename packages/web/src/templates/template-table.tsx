import type { ListedTemplate } from '@panoptes/schema'
import { type RefObject, useEffect } from 'react'
import { classes } from '../design/class-names.ts'
import { useGrid } from '../events/use-grid.ts'
import { words } from '../words.ts'
import { chartReach } from './format.ts'
import { columns, TemplateRow } from './template-row.tsx'

const w = words.templates
const ROW = 48
const CARD = 84
const HEAD = 28
const PAGE_ROWS = 8

/** Newest first; only the visible rows are drawn. */
export function TemplateTable(props: {
  readonly templates: readonly ListedTemplate[]
  /** The index of the open template. */
  readonly open: number
  readonly card: boolean
  readonly onOpen: (template: ListedTemplate) => void
  readonly grid: RefObject<HTMLTableElement | null>
}) {
  const { templates, open, card, onOpen, grid } = props
  const { view, at, mark, openAt, table } = useGrid(grid, {
    rows: templates.length,
    rowHeight: card ? CARD : ROW,
    head: card ? 0 : HEAD,
    pageRows: PAGE_ROWS,
    letters: true,
    marked: Math.max(0, open),
    onOpen: (index) => {
      const template = templates[index]
      if (template) onOpen(template)
    },
  })
  const { measured } = view
  useEffect(() => {
    if (measured && open !== -1) mark(open)
  }, [measured, open, mark])
  const reach = chartReach(templates)
  return (
    <div className="@container relative flex max-h-[max(52%,220px)] shrink-0 flex-col after:pointer-events-none after:absolute after:inset-0 has-[table:focus-visible]:after:outline-2 has-[table:focus-visible]:after:-outline-offset-2 has-[table:focus-visible]:after:outline-text max-desk:max-h-[74%]">
      <table
        {...table}
        tabIndex={0}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the keyboard opens its rows
        role="grid"
        aria-label={w.table}
        aria-rowcount={templates.length + 1}
        aria-activedescendant={at >= view.first && at < view.end ? `template-${at}` : undefined}
        className="relative block min-h-0 flex-1 overflow-x-hidden overflow-y-auto text-left [overflow-anchor:none] outline-none"
      >
        <thead className={card ? 'sr-only' : 'sticky top-0 z-10 block'}>
          <tr
            aria-rowindex={1}
            className={`h-7 w-full items-center border-b border-line bg-surface text-11 text-text-3 ${columns}`}
          >
            {HEADS.map(({ name, kind }) => (
              <th
                key={name}
                scope="col"
                className={classes('font-normal whitespace-nowrap', kind === 'end' && 'text-right')}
              >
                <span className={kind === 'unseen' ? 'sr-only' : ''}>{name}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="block" style={{ height: view.height, paddingTop: view.offset }}>
          {templates.slice(view.first, view.end).map((template, i) => {
            const index = view.first + i
            return (
              <TemplateRow
                key={`${template.place} ${template.file}`}
                id={`template-${index}`}
                index={index}
                template={template}
                reach={reach}
                open={index === open}
                active={index === at}
                card={card}
                onOpen={openAt}
              />
            )
          })}
        </tbody>
      </table>
      {!card && templates.some(({ effect }) => effect.tool_errors.low !== null) && <Scale reach={reach} />}
    </div>
  )
}

/** The scale under the bars. */
function Scale({ reach }: { readonly reach: number }) {
  const most = reach * 100
  return (
    <div
      aria-hidden="true"
      className={`-mt-px shrink-0 border-t border-line py-1.5 text-11 text-text-3 ${columns}`}
    >
      <span className="col-start-5 -mx-4 flex justify-between whitespace-nowrap">
        <span className="flex-1">{w.scale.fewer(most)}</span>
        <span>{w.scale.none}</span>
        <span className="flex-1 text-right">{w.scale.more(most)}</span>
      </span>
    </div>
  )
}

const HEADS: readonly { readonly name: string; readonly kind?: 'end' | 'unseen' }[] = [
  { name: w.columns.template },
  { name: w.columns.type },
  { name: w.columns.examples, kind: 'end' },
  { name: w.columns.used, kind: 'end' },
  { name: w.columns.errors },
  { name: w.columns.difference, kind: 'unseen' },
  { name: w.columns.verdict },
]
