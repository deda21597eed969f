import { Fragment } from 'react'
import { seen } from '../sessions/plain.ts'

/** What the server says, with what it puts into backticks shown as something to type. */
export const Said = ({ text }: { readonly text: string }) =>
  seen(text)
    .split(/`([^`\n]+)`/)
    .map((part, i) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place
      <Fragment key={i}>
        {i % 2 === 0 ? part : <code className="rounded-tag border border-line bg-app px-1">{part}</code>}
      </Fragment>
    ))
