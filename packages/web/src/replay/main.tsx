import '../design/design.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from '../api/client.ts'
import { words } from '../words.ts'
import { RECORDING_ID, readRecording } from './recording.ts'
import { ReplayPage } from './replay-page.tsx'

const place = document.getElementById('root')
const recording = readRecording(document.getElementById(RECORDING_ID)?.textContent ?? '')
if (place && recording)
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <ReplayPage recording={recording} />
      </QueryClientProvider>
    </StrictMode>,
  )
else if (place) place.textContent = words.live.noRecording
