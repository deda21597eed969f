import type { ListedTemplate, TaskType } from '@panoptes/schema'
import type { ReactNode } from 'react'
import { useMay } from '../api/me.ts'
import { Button } from '../design/button.tsx'
import { Segmented } from '../design/segmented.tsx'
import { words } from '../words.ts'
import { makeTemplate } from './make-dialog-state.ts'
import { TYPES } from './search-params.ts'

const w = words.templates

/** The type filter and the actions. */
export function Toolbar(props: {
  readonly templates: readonly ListedTemplate[]
  readonly type: TaskType | undefined
  readonly onType: (type: TaskType | undefined) => void
  readonly children: ReactNode
}) {
  const { templates } = props
  const segments = [
    { value: 'all' as const, label: w.typeCount(w.all, templates.length) },
    ...TYPES.map((type) => ({
      value: type,
      label: w.typeCount(w.types[type], countByType(templates, type)),
    })),
  ]
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-4 py-2">
      <div className="-m-1 max-w-[calc(100%+8px)] overflow-x-auto p-1">
        <Segmented
          label={w.type}
          segments={segments}
          value={props.type ?? 'all'}
          onChange={(type) => props.onType(type === 'all' ? undefined : type)}
        />
      </div>
      <span className="flex-1" />
      {props.children}
    </div>
  )
}

/** Actions on the chosen template, and the button that creates another one. */
export function Actions(props: {
  readonly chosen: ListedTemplate | undefined
  readonly onDelete: (template: ListedTemplate) => void
}) {
  const { chosen } = props
  const isOfHermes = chosen?.place === 'hermes'
  if (!useMay('member')) return <span className="text-12 text-text-3">{words.team.forRole.member}</span>
  return (
    <>
      {chosen && (
        <Button
          aria-label={w.actions.deleteLabel(chosen.name)}
          disabled={isOfHermes}
          title={isOfHermes ? w.actions.ofHermes : undefined}
          onClick={() => props.onDelete(chosen)}
        >
          {w.actions.delete}
        </Button>
      )}
      <Button kind="main" icon="plus" onClick={() => makeTemplate()}>
        {w.actions.make}
      </Button>
    </>
  )
}

const countByType = (templates: readonly ListedTemplate[], type: TaskType): number =>
  templates.filter((one) => one.task_type === type).length
