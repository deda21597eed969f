import { toVisible } from '@panoptes/schema/shown'
import { Fragment } from 'react'

/** Shows a server message; text in backticks looks like something to type. */
export const ServerText = ({ text }: { readonly text: string }) =>
  toVisible(text)
    .split(/`([^`\n]+)`/)
    .map((part, i) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a part is identified by its position
      <Fragment key={i}>
        {i % 2 === 0 ? part : <code className="rounded-tag border border-line bg-app px-1">{part}</code>}
      </Fragment>
    ))
