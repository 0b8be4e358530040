<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en">
<context>
    <name>AblationDialog</name>
    <message numerus="yes">
        <source>KV {type} against f16: {divergence} nats of KL divergence, the same likeliest token at {share} of {n} positions</source>
        <translation>
            <numerusform>KV {type} against f16: {divergence} nats of KL divergence, the same likeliest token at {share} of {n} position</numerusform>
            <numerusform>KV {type} against f16: {divergence} nats of KL divergence, the same likeliest token at {share} of {n} positions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{model}, {n} runs of each step</source>
        <translation>
            <numerusform>{model}, {n} run of each step</numerusform>
            <numerusform>{model}, {n} runs of each step</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>AttachmentChip</name>
    <message numerus="yes">
        <source>{n} tokens</source>
        <translation>
            <numerusform>{n} token</numerusform>
            <numerusform>{n} tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>a part, {n} tokens</source>
        <translation>
            <numerusform>a part, {n} token</numerusform>
            <numerusform>a part, {n} tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} of {total} tokens</source>
        <translation>
            <numerusform>{n} of {total} token</numerusform>
            <numerusform>{n} of {total} tokens</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>AttachmentController</name>
    <message numerus="yes">
        <source>{name} is too long to be read as a whole: the first {n} of {total} pages are attached.</source>
        <translation>
            <numerusform>{name} is too long to be read as a whole: the first of {total} pages is attached.</numerusform>
            <numerusform>{name} is too long to be read as a whole: the first {n} of {total} pages are attached.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} of {total} pages of {name} hold no text but pictures, which the model does not get.</source>
        <translation>
            <numerusform>{n} of {total} pages of {name} holds no text but pictures, which the model does not get.</numerusform>
            <numerusform>{n} of {total} pages of {name} hold no text but pictures, which the model does not get.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Attachments</name>
    <message numerus="yes">
        <source>{n} tokens</source>
        <translation>
            <numerusform>{n} token</numerusform>
            <numerusform>{n} tokens</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ChatListController</name>
    <message numerus="yes">
        <source>{n} chats were archived.</source>
        <translation>
            <numerusform>{n} chat was archived.</numerusform>
            <numerusform>{n} chats were archived.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} chats were deleted.</source>
        <translation>
            <numerusform>{n} chat was deleted.</numerusform>
            <numerusform>{n} chats were deleted.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CompareDialog</name>
    <message numerus="yes">
        <source>{n} tried answers: {name}</source>
        <translation>
            <numerusform>{n} tried answer: {name}</numerusform>
            <numerusform>{n} tried answers: {name}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} answers: {name}</source>
        <translation>
            <numerusform>{n} answer: {name}</numerusform>
            <numerusform>{n} answers: {name}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{time}: {n} tokens, {model}</source>
        <translation>
            <numerusform>{time}: {n} token, {model}</numerusform>
            <numerusform>{time}: {n} tokens, {model}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>under {n} runs: no verdict</source>
        <translation>
            <numerusform>under {n} run: no verdict</numerusform>
            <numerusform>under {n} runs: no verdict</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DownloadLine</name>
    <message numerus="yes">
        <source>{n} downloads</source>
        <translation>
            <numerusform>{n} download</numerusform>
            <numerusform>{n} downloads</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FactsCard</name>
    <message numerus="yes">
        <source>{cached} of {total} tokens</source>
        <translation>
            <numerusform>{cached} of {total} token</numerusform>
            <numerusform>{cached} of {total} tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} tokens</source>
        <translation>
            <numerusform>{n} token</numerusform>
            <numerusform>{n} tokens</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Figures</name>
    <message numerus="yes">
        <source>reading {done} of {total} tokens</source>
        <translation>
            <numerusform>reading {done} of {total} token</numerusform>
            <numerusform>reading {done} of {total} tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} tokens</source>
        <translation>
            <numerusform>{n} token</numerusform>
            <numerusform>{n} tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>reading {done} of {total} tokens, {time} left</source>
        <translation>
            <numerusform>reading {done} of {total} token, {time} left</numerusform>
            <numerusform>reading {done} of {total} tokens, {time} left</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FindPage</name>
    <message numerus="yes">
        <source>{n} downloads</source>
        <translation>
            <numerusform>{n} download</numerusform>
            <numerusform>{n} downloads</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} layers</source>
        <translation>
            <numerusform>{n} layer</numerusform>
            <numerusform>{n} layers</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} KV heads</source>
        <translation>
            <numerusform>{n} KV head</numerusform>
            <numerusform>{n} KV heads</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>header read in {n} requests, {size}</source>
        <translation>
            <numerusform>header read in {n} request, {size}</numerusform>
            <numerusform>header read in {n} requests, {size}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The longest context that fits whole is {n} tokens.</source>
        <translation>
            <numerusform>The longest context that fits whole is {n} token.</numerusform>
            <numerusform>The longest context that fits whole is {n} tokens.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>HostClient</name>
    <message numerus="yes">
        <source>{how} That was {n} times in a row.</source>
        <translation>
            <numerusform>{how} That was {n} time in a row.</numerusform>
            <numerusform>{how} That was {n} times in a row.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ImportExportController</name>
    <message numerus="yes">
        <source>{n} chats, {done} of {total} read</source>
        <translation>
            <numerusform>{n} chat, {done} of {total} read</numerusform>
            <numerusform>{n} chats, {done} of {total} read</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} of {total} chats written</source>
        <translation>
            <numerusform>{n} of {total} chat written</numerusform>
            <numerusform>{n} of {total} chats written</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The import was undone: {n} chats are gone.</source>
        <translation>
            <numerusform>The import was undone: {n} chat is gone.</numerusform>
            <numerusform>The import was undone: {n} chats are gone.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ImportReportDialog</name>
    <message numerus="yes">
        <source>{n} messages</source>
        <translation>
            <numerusform>{n} message</numerusform>
            <numerusform>{n} messages</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} chats with {messages} were imported.</source>
        <translation>
            <numerusform>{n} chat with {messages} was imported.</numerusform>
            <numerusform>{n} chats with {messages} were imported.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} characters were found.</source>
        <translation>
            <numerusform>{n} character was found.</numerusform>
            <numerusform>{n} characters were found.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>LatencyController</name>
    <message numerus="yes">
        <source>The figures of {n} answers were written to {path}.</source>
        <translation>
            <numerusform>The figures of {n} answer were written to {path}.</numerusform>
            <numerusform>The figures of {n} answers were written to {path}.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>LatencyStrip</name>
    <message numerus="yes">
        <source>{n} alerts</source>
        <translation>
            <numerusform>{n} alert</numerusform>
            <numerusform>{n} alerts</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source> of {n} tokens</source>
        <translation>
            <numerusform> of {n} token</numerusform>
            <numerusform> of {n} tokens</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>LoadPlanView</name>
    <message numerus="yes">
        <source>{n} tokens of context</source>
        <translation>
            <numerusform>{n} token of context</numerusform>
            <numerusform>{n} tokens of context</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>experts of {n} layers on the CPU</source>
        <translation>
            <numerusform>experts of {n} layer on the CPU</numerusform>
            <numerusform>experts of {n} layers on the CPU</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} of {total} layers</source>
        <translation>
            <numerusform>{n} of {total} layer</numerusform>
            <numerusform>{n} of {total} layers</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ModelCardFigures</name>
    <message numerus="yes">
        <source>Fits, with the experts of {n} layers on the CPU: it needs {need} with {ctx} context.</source>
        <translation>
            <numerusform>Fits, with the experts of {n} layer on the CPU: it needs {need} with {ctx} context.</numerusform>
            <numerusform>Fits, with the experts of {n} layers on the CPU: it needs {need} with {ctx} context.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} of {all} layers fit on the GPU: it needs {need} with {ctx} context.</source>
        <translation>
            <numerusform>{n} of {all} layers fits on the GPU: it needs {need} with {ctx} context.</numerusform>
            <numerusform>{n} of {all} layers fit on the GPU: it needs {need} with {ctx} context.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ModelChip</name>
    <message numerus="yes">
        <source>{n} threads · batch {batch}/{ubatch} · flash attention {flash}</source>
        <translation>
            <numerusform>{n} thread · batch {batch}/{ubatch} · flash attention {flash}</numerusform>
            <numerusform>{n} threads · batch {batch}/{ubatch} · flash attention {flash}</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>OverflowLine</name>
    <message numerus="yes">
        <source>This chat is full: with the message it has {n} tokens, and there is room for {room}.</source>
        <translation>
            <numerusform>This chat is full: with the message it has {n} token, and there is room for {room}.</numerusform>
            <numerusform>This chat is full: with the message it has {n} tokens, and there is room for {room}.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{name} does not fit: the message is {n} tokens too long.</source>
        <translation>
            <numerusform>{name} does not fit: the message is {n} token too long.</numerusform>
            <numerusform>{name} does not fit: the message is {n} tokens too long.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The files do not fit together: the message is {n} tokens too long.</source>
        <translation>
            <numerusform>The files do not fit together: the message is {n} token too long.</numerusform>
            <numerusform>The files do not fit together: the message is {n} tokens too long.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The message is {n} tokens too long for the model&apos;s context.</source>
        <translation>
            <numerusform>The message is {n} token too long for the model&apos;s context.</numerusform>
            <numerusform>The message is {n} tokens too long for the model&apos;s context.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PartDialog</name>
    <message numerus="yes">
        <source>{about}{n} tokens</source>
        <translation>
            <numerusform>{about}{n} token</numerusform>
            <numerusform>{about}{n} tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} tokens</source>
        <translation>
            <numerusform>{n} token</numerusform>
            <numerusform>{n} tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} tokens · the rest of the message is already {excess} too long</source>
        <translation>
            <numerusform>{n} token · the rest of the message is already {excess} too long</numerusform>
            <numerusform>{n} tokens · the rest of the message is already {excess} too long</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} tokens · room for {room} in this message</source>
        <translation>
            <numerusform>{n} token · room for {room} in this message</numerusform>
            <numerusform>{n} tokens · room for {room} in this message</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PercentileCard</name>
    <message numerus="yes">
        <source>{failed} of {all} failed · {n} tokens an hour</source>
        <translation>
            <numerusform>{failed} of {all} failed · {n} token an hour</numerusform>
            <numerusform>{failed} of {all} failed · {n} tokens an hour</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} answers</source>
        <translation>
            <numerusform>{n} answer</numerusform>
            <numerusform>{n} answers</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PromptDialog</name>
    <message numerus="yes">
        <source>What the model sees: {n} tokens</source>
        <translation>
            <numerusform>What the model sees: {n} token</numerusform>
            <numerusform>What the model sees: {n} tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} tokens</source>
        <translation>
            <numerusform>{n} token</numerusform>
            <numerusform>{n} tokens</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>QuantizationModel</name>
    <message numerus="yes">
        <source>{need} · experts of {n} layers on the CPU</source>
        <translation>
            <numerusform>{need} · experts of {n} layer on the CPU</numerusform>
            <numerusform>{need} · experts of {n} layers on the CPU</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{need} · fits with {layers} of {all} layers</source>
        <translation>
            <numerusform>{need} · fits with {layers} of {all} layer</numerusform>
            <numerusform>{need} · fits with {layers} of {all} layers</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Sidebar</name>
    <message numerus="yes">
        <source>{n} chats</source>
        <translation>
            <numerusform>{n} chat</numerusform>
            <numerusform>{n} chats</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Timeline</name>
    <message numerus="yes">
        <source>{n} values from {low} to {high}, the latest {last}</source>
        <translation>
            <numerusform>{n} value from {low} to {high}, the latest {last}</numerusform>
            <numerusform>{n} values from {low} to {high}, the latest {last}</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TopBar</name>
    <message numerus="yes">
        <source>{used} of {all} layers on {device}</source>
        <translation>
            <numerusform>{used} of {all} layer on {device}</numerusform>
            <numerusform>{used} of {all} layers on {device}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>on the CPU, {n} threads</source>
        <translation>
            <numerusform>on the CPU, {n} thread</numerusform>
            <numerusform>on the CPU, {n} threads</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TtftCard</name>
    <message numerus="yes">
        <source>prefill {n} tokens</source>
        <translation>
            <numerusform>prefill {n} token</numerusform>
            <numerusform>prefill {n} tokens</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>diagnosis</name>
    <message numerus="yes">
        <source>TTFT {ttft}: {share} of it prefill of {new} tokens. {reason}</source>
        <translation>
            <numerusform>TTFT {ttft}: {share} of it prefill of {new} token. {reason}</numerusform>
            <numerusform>TTFT {ttft}: {share} of it prefill of {new} tokens. {reason}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>TTFT {ttft}: {share} of it prefill of {new} new tokens.</source>
        <translation>
            <numerusform>TTFT {ttft}: {share} of it prefill of {new} new token.</numerusform>
            <numerusform>TTFT {ttft}: {share} of it prefill of {new} new tokens.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} of {of} layers run on the CPU</source>
        <translation>
            <numerusform>{n} of {of} layers runs on the CPU</numerusform>
            <numerusform>{n} of {of} layers run on the CPU</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} steps also read other chats&apos; prompts</source>
        <translation>
            <numerusform>{n} step also read other chats&apos; prompts</numerusform>
            <numerusform>{n} steps also read other chats&apos; prompts</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>its {n} threads share the processor with others</source>
        <translation>
            <numerusform>its {n} thread shares the processor with others</numerusform>
            <numerusform>its {n} threads share the processor with others</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>settings line</name>
    <message numerus="yes">
        <source>{n} layers</source>
        <translation>
            <numerusform>{n} layer</numerusform>
            <numerusform>{n} layers</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>experts of {n} layers on the CPU</source>
        <translation>
            <numerusform>experts of {n} layer on the CPU</numerusform>
            <numerusform>experts of {n} layers on the CPU</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} threads</source>
        <translation>
            <numerusform>{n} thread</numerusform>
            <numerusform>{n} threads</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>trial</name>
    <message numerus="yes">
        <source>prompt in steps of {n} tokens</source>
        <translation>
            <numerusform>prompt in steps of {n} token</numerusform>
            <numerusform>prompt in steps of {n} tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{n} threads</source>
        <translation>
            <numerusform>{n} thread</numerusform>
            <numerusform>{n} threads</numerusform>
        </translation>
    </message>
</context>
</TS>
