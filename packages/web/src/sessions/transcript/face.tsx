import type { PastMessage } from '@panoptes/schema'
import { ModelPips } from '../../design/model-pips.tsx'
import { familyOf } from '../../live/model/names.ts'
import { MAIN } from './thread.ts'

/** Who speaks, as a shape: the gold eye, a model's pips, a person, or a program. */
export function Face({ message, size }: { readonly message: PastMessage; readonly size: number }) {
  if (message.role === 'assistant')
    return <ModelPips model={message.agent_id === MAIN ? 'main' : familyOf(message.model)} size={size} />
  return (
    <svg
      className="shrink-0 text-text-2"
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      aria-hidden="true"
    >
      {message.role === 'user' ? (
        <>
          <circle cx="10" cy="10" r="8.8" />
          <circle cx="10" cy="8" r="2.8" />
          <path d="M4.8 16.6c.9-2.6 2.9-3.9 5.2-3.9s4.3 1.3 5.2 3.9" />
        </>
      ) : (
        <>
          <rect x="2.5" y="3.5" width="15" height="13" rx="3" />
          <path d="m6 8 2.5 2-2.5 2M10.5 12.5h3.5" />
        </>
      )}
    </svg>
  )
}
